// Scenes with joints (tests 28 to 37) for Simbody: a tree of mobilizers (pin, slider, ball, free); what closes a loop is a ball
// constraint (a hinge: two, on its axis), and springs are two-point springs with dampers. Nothing touches.
#pragma once

#include <Simbody.h>

#include <vector>

#include "pipe.hpp"

namespace joints {

using pipe::Json;
using namespace SimTK;

constexpr double REACH = 0.05; // [m] to both sides of a hinge's point, of the two points that close a loop

inline Vec3 toVector(const Json& v) { return {v.at(0).get<double>(), v.at(1).get<double>(), v.at(2).get<double>()}; }

class Tree {
public:
    // Adds a scene's bodies and what ties them; `bodies` has them by their places in the scene.
    Tree(SimbodyMatterSubsystem& matter, GeneralForceSubsystem& forces, const Json& scene, std::vector<MobilizedBody>& bodies)
        : scene(scene), bodies(bodies), parents(scene.at("bodies").size(), -1), hung(parents.size(), nullptr)
    {
        bodies.resize(parents.size());
        std::vector<const Json*> left;
        for (const Json& joint : scene.at("joints")) {
            if (joint.at("kind") != "spring") {
                left.push_back(&joint);
            }
        }
        std::vector<int> reached = {-1};
        for (size_t next = 0; next < reached.size(); next++) {
            for (size_t k = 0; k < left.size();) {
                const int a = left[k]->at("bodies").at(0), b = left[k]->at("bodies").at(1);
                const int body = a == reached[next] ? b : b == reached[next] ? a : -1;
                if (body < 0 || hung[body]) {
                    k++;
                    continue;
                }
                parents[body] = reached[next];
                hung[body] = left[k];
                left.erase(left.begin() + static_cast<long>(k));
                reached.push_back(body);
                add(matter, body);
            }
        }
        for (size_t body = 0; body < parents.size(); body++) {
            if (!hung[body]) {
                add(matter, static_cast<int>(body));
            }
        }
        for (const Json* joint : left) {
            close(matter, *joint);
        }
        for (const Json& joint : scene.at("joints")) {
            if (joint.at("kind") == "spring") {
                const Place a = find(matter, joint, 0), b = find(matter, joint, 1);
                Force::TwoPointLinearSpring(forces, a.body, a.point, b.body, b.point, joint.at("stiffness_Npm"), joint.at("length_m"));
                Force::TwoPointLinearDamper(forces, a.body, a.point, b.body, b.point, joint.at("damping_Nspm"));
            }
        }
        for (size_t k = 0; k < parents.size(); k++) {
            const Json& body = scene.at("bodies").at(k);
            Force::ConstantForce(forces, bodies[k], Vec3(0), toVector(body.at("force_N")));
            Force::ConstantTorque(forces, bodies[k], toVector(body.at("torque_Nm")));
        }
    }

    // Each mobilizer's own rates; its coordinates are zero at the start, but those of free bodies.
    void start(State& state, const MultibodySystem& system) const
    {
        for (size_t k = 0; k < parents.size(); k++) {
            const int own = static_cast<int>(k);
            if (!hung[k]) {
                bodies[k].setQToFitTransform(state, getStart(own));
                system.realize(state, Stage::Position);
                bodies[k].setUToFitVelocity(state, getVelocity(own, getStart(own).p()));
                continue;
            }
            const Vec3 point = toVector(hung[k]->at("points_m").at(0));
            const SpatialVec rate = getVelocity(own, point) - getVelocity(parents[k], point);
            if (hung[k]->at("kind") == "ball") { // both of its frames have the world's axes at the start
                for (int axis = 0; axis < 3; axis++) {
                    bodies[k].setOneU(state, axis, rate[0][axis]);
                }
            } else {
                const Vec3 axis = toVector(hung[k]->at("axis"));
                bodies[k].setOneU(state, 0, dot(axis, rate[hung[k]->at("kind") == "hinge" ? 0 : 1]));
            }
        }
    }

private:
    struct Place {
        MobilizedBody body;
        Vec3 point; // in its own axes
    };

    Transform getStart(int body) const
    {
        if (body < 0) {
            return {};
        }
        const Json& from = scene.at("bodies").at(body).at("start");
        const Json& q = from.at("rotation_wxyz");
        return {Rotation(Quaternion(q.at(0).get<double>(), q.at(1).get<double>(), q.at(2).get<double>(), q.at(3).get<double>())),
                toVector(from.at("position_m"))};
    }

    // Spin, and velocity of a body's point, at the start.
    SpatialVec getVelocity(int body, const Vec3& point) const
    {
        if (body < 0) {
            return SpatialVec(Vec3(0), Vec3(0));
        }
        const Json& own = scene.at("bodies").at(body);
        const Vec3 w = toVector(own.at("angular_velocity_radps"));
        return {w, toVector(own.at("velocity_mps")) + cross(w, point - getStart(body).p())};
    }

    MobilizedBody getBody(SimbodyMatterSubsystem& matter, int body) const { return body < 0 ? static_cast<MobilizedBody>(matter.Ground()) : bodies[body]; }

    Place find(SimbodyMatterSubsystem& matter, const Json& joint, int side) const
    {
        const int body = joint.at("bodies").at(side);
        return {getBody(matter, body), ~getStart(body) * toVector(joint.at("points_m").at(side))};
    }

    void add(SimbodyMatterSubsystem& matter, int k)
    {
        const Json& body = scene.at("bodies").at(k);
        const Json& i = body.at("inertia_kgm2");
        const Body::Rigid rigid(MassProperties(body.at("mass_kg").get<double>(), Vec3(0), Inertia(i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2])));
        if (!hung[k]) {
            bodies[k] = MobilizedBody::Free(matter.Ground(), Transform(), rigid, Transform());
            return;
        }
        const std::string kind = hung[k]->at("kind");
        MobilizedBody parent = getBody(matter, parents[k]);
        // pins turn about z, sliders go along x
        const Rotation turn = kind == "ball" ? Rotation() : Rotation(UnitVec3(toVector(hung[k]->at("axis"))), kind == "hinge" ? CoordinateAxis(ZAxis) : CoordinateAxis(XAxis));
        const Transform at(turn, toVector(hung[k]->at("points_m").at(0)));
        const Transform first = ~getStart(parents[k]) * at, second = ~getStart(k) * at;
        if (kind == "ball") {
            bodies[k] = MobilizedBody::Ball(parent, first, rigid, second);
        } else if (kind == "hinge") {
            bodies[k] = MobilizedBody::Pin(parent, first, rigid, second);
        } else {
            bodies[k] = MobilizedBody::Slider(parent, first, rigid, second);
        }
    }

    void close(SimbodyMatterSubsystem& matter, const Json& joint) const
    {
        if (joint.at("kind") == "slide") {
            throw std::runtime_error("not supported: a loop that is closed by a slide");
        }
        const bool ball = joint.at("kind") == "ball";
        Place a = find(matter, joint, 0), b = find(matter, joint, 1);
        for (const double side : ball ? std::vector<double>{0.0} : std::vector<double>{-REACH, REACH}) {
            const Vec3 reach = ball ? Vec3(0) : side * toVector(joint.at("axis"));
            Constraint::Ball(a.body, a.point + ~getStart(joint.at("bodies").at(0)).R() * reach, b.body,
                             b.point + ~getStart(joint.at("bodies").at(1)).R() * reach);
        }
    }

    const Json& scene;
    std::vector<MobilizedBody>& bodies;
    std::vector<int> parents;
    std::vector<const Json*> hung; // the joint that a body hangs on
};

} // namespace joints
