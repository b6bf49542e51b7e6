// Jolt Physics as its authors ship it for JavaScript: single precision, compiled to WebAssembly.
import { load, packageVersion, prescribedState, serve } from "../common/pipe.mjs";
import { addJoints } from "./joints.mjs";

const STATIC = 0, MOVING = 1, ALONE = 2; // alone: touches nothing

class JoltEngine {
    constructor(J) {
        this.J = J;
        this.version = packageVersion("jolt-physics");
    }

    vec(v) { return new this.J.Vec3(v[0], v[1], v[2]); }
    place(v) { return new this.J.RVec3(v[0], v[1], v[2]); }
    quat(q) { return new this.J.Quat(q[1], q[2], q[3], q[0]); } // Jolt has x, y, z, w

    makeWorld(scene, options) {
        const J = this.J, settings = new J.JoltSettings();
        const pairs = new J.ObjectLayerPairFilterTable(3);
        pairs.EnableCollision(STATIC, MOVING);
        pairs.EnableCollision(MOVING, MOVING);
        const layers = new J.BroadPhaseLayerInterfaceTable(3, 2);
        layers.MapObjectToBroadPhaseLayer(STATIC, new J.BroadPhaseLayer(0));
        layers.MapObjectToBroadPhaseLayer(MOVING, new J.BroadPhaseLayer(1));
        layers.MapObjectToBroadPhaseLayer(ALONE, new J.BroadPhaseLayer(1));
        settings.mObjectLayerPairFilter = pairs;
        settings.mBroadPhaseLayerInterface = layers;
        settings.mObjectVsBroadPhaseLayerFilter = new J.ObjectVsBroadPhaseLayerFilterTable(layers, 2, pairs, 3);
        this.jolt = new J.JoltInterface(settings);
        this.system = this.jolt.GetPhysicsSystem();
        this.bodies = this.system.GetBodyInterface();
        this.system.SetGravity(this.vec(scene.gravity_mps2));
        const physics = this.system.GetPhysicsSettings();
        physics.mNumVelocitySteps = options.velocity_steps;
        physics.mNumPositionSteps = options.position_steps;
        physics.mBaumgarte = options.baumgarte;
        physics.mPenetrationSlop = options.penetration_slop_m;
        physics.mSpeculativeContactDistance = options.speculative_contact_distance_m;
        physics.mUseBodyPairContactCache = options.body_pair_contact_cache;
        physics.mAllowSleeping = options.allow_sleeping;
        this.system.SetPhysicsSettings(physics);
    }

    makeShape(body, options) {
        const J = this.J, h = body.half_extents_m;
        const upright = (turn, shape) => new J.RotatedTranslatedShapeSettings(new J.Vec3(0, 0, 0), turn, shape).Create().Get();
        const s = Math.SQRT1_2;
        switch (body.shape) {
        case "box": return new J.BoxShape(this.vec(h), options.convex_radius_m);
        case "ball": return new J.SphereShape(body.radius_m);
        case "cylinder": // Jolt's stand along y
            return upright(new J.Quat(s, 0, 0, s), new J.CylinderShapeSettings(h[2], body.radius_m, Math.min(options.convex_radius_m, h[2] / 2)));
        case "rod": return upright(new J.Quat(0, 0, s, s), new J.CapsuleShapeSettings(h[0] - body.radius_m, body.radius_m));
        default: {
            const settings = new J.ConvexHullShapeSettings();
            for (const v of body.mesh.vertices_m) settings.mPoints.push_back(this.vec(v));
            settings.mMaxConvexRadius = options.convex_radius_m;
            const hull = settings.Create().Get(), centre = hull.GetCenterOfMass();
            // its own centre of mass is that of the hull: back to the body's
            return new J.OffsetCenterOfMassShape(hull, new J.Vec3(-centre.GetX(), -centre.GetY(), -centre.GetZ()));
        }
        }
    }

    create(scene, options) {
        const J = this.J;
        this.scene = scene, this.count = 0, this.options = options;
        this.makeWorld(scene, options);
        const plane = new J.PlaneShape(new J.Plane(this.vec(scene.ground_normal), 0), null, 1000);
        const ground = new J.BodyCreationSettings(plane, this.place([0, 0, 0]), this.quat([1, 0, 0, 0]), J.EMotionType_Static, STATIC);
        ground.mFriction = scene.ground_friction;
        ground.mRestitution = scene.restitution;
        const standing = this.bodies.CreateBody(ground);
        this.bodies.AddBody(standing.GetID(), J.EActivation_DontActivate);
        this.items = scene.bodies.map((body) => {
            const motion = body.prescribed ? J.EMotionType_Kinematic : J.EMotionType_Dynamic;
            const def = new J.BodyCreationSettings(this.makeShape(body, options), this.place(body.start.position_m),
                this.quat(body.start.rotation_wxyz), motion, scene.joints ? ALONE : MOVING);
            // a pair has the geometric mean of two coefficients: sqrt(body's ground's), sqrt(body's rod's)
            def.mFriction = body.prescribed ? (scene.ground_friction > 0 ? scene.pair_friction ** 2 / scene.ground_friction : 0) : scene.ground_friction;
            def.mRestitution = scene.restitution;
            def.mLinearDamping = def.mAngularDamping = 0; // air: the tests have none
            def.mMaxAngularVelocity = 1000;
            def.mApplyGyroscopicForce = options.gyroscopic_force;
            def.mLinearVelocity = this.vec(body.velocity_mps);
            def.mAngularVelocity = this.vec(body.angular_velocity_radps);
            if (!body.prescribed) {
                def.mOverrideMassProperties = J.EOverrideMassProperties_MassAndInertiaProvided;
                const inertia = new J.Mat44().sIdentity();
                for (let k = 0; k < 3; k++) inertia.SetColumn3(k, this.vec(body.inertia_kgm2.map((row) => row[k])));
                def.mMassPropertiesOverride.mMass = body.mass_kg;
                def.mMassPropertiesOverride.mInertia = inertia;
            }
            const item = this.bodies.CreateBody(def);
            this.bodies.AddBody(item.GetID(), J.EActivation_Activate);
            return { body, item, force: this.vec(body.force_N), torque: this.vec(body.torque_Nm), at: this.quat(body.start.rotation_wxyz),
                pushed: [...body.force_N, ...body.torque_Nm].some((x) => x !== 0) };
        });
        addJoints(this, scene.joints ?? [], standing);
        this.target = this.place([0, 0, 0]);
    }

    step(n) {
        const dt = this.scene.time_step_s;
        for (let k = 0; k < n; k++) {
            this.count++;
            for (const { body, item, force, torque, at, pushed } of this.items) {
                if (body.prescribed) {
                    const x = prescribedState(body, this.count * dt);
                    this.target.Set(x[0], x[1], x[2]);
                    this.bodies.MoveKinematic(item.GetID(), this.target, at, dt);
                } else if (pushed) { // for one step
                    this.bodies.AddForce(item.GetID(), force, this.J.EActivation_Activate);
                    this.bodies.AddTorque(item.GetID(), torque, this.J.EActivation_Activate);
                }
            }
            this.jolt.Step(dt, this.options.collision_steps);
        }
    }

    read(k) {
        const { body, item } = this.items[k];
        if (body.prescribed) return prescribedState(body, this.count * this.scene.time_step_s);
        const xyz = (v) => [v.GetX(), v.GetY(), v.GetZ()];
        const place = xyz(item.GetCenterOfMassPosition()), q = item.GetRotation();
        const turn = [q.GetW(), q.GetX(), q.GetY(), q.GetZ()];
        return [...place, ...turn, ...xyz(item.GetLinearVelocity()), ...xyz(item.GetAngularVelocity())];
    }
}

await serve(import.meta.url, async () => new JoltEngine(await (await load("jolt-physics")).default()));
