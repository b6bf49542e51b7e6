// Vectors and quaternions between this project and Bullet, for both of its adapters.
#ifndef PBDR_BENCH_BULLET_VEC_H
#define PBDR_BENCH_BULLET_VEC_H

#include <pbdr/types.h>

#include <btBulletDynamicsCommon.h>

static inline btVector3 toBullet(pbdrVec3 v)
{
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

static inline btQuaternion toBullet(pbdrQuat q)
{
    return btQuaternion(btScalar(q.x), btScalar(q.y), btScalar(q.z), btScalar(q.w));
}

static inline pbdrVec3 fromBullet(const btVector3& v)
{
    return pbdrVec3{double(v.x()), double(v.y()), double(v.z())};
}

#endif
