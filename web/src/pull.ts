// Pulling a body by a spring, with the mouse or a finger: from the place where it was taken to the pointer.
import * as THREE from "three";
import type { Stage } from "./stage";

// Of a body of 1 kg, which hangs 2.5 cm below the pointer, and comes to rest there in a quarter of a second.
const STIFFNESS = 400; // [N/m]
const DAMPING = 28; // [N s/m], of the point that is held
const MOST = 60 * 9.81; // [N]

export class Pull {
    private held: { body: number; local: THREE.Vector3; target: THREE.Vector3; pane: number } | null = null;
    private readonly plane = new THREE.Plane();

    // canPull: whether a body may be taken; onTake: it was.
    constructor(private readonly stage: Stage, canPull: (body: number) => boolean, onTake: () => void) {
        const canvas = stage.canvas;
        canvas.addEventListener("pointerdown", (e) => {
            const hit = e.button === 0 && e.isPrimary ? stage.pick(e.clientX, e.clientY) : null;
            if (hit === null || !canPull(hit.body)) {
                return;
            }
            const group = stage.sceneries[hit.pane]!.bodies[hit.body]!;
            this.plane.setFromNormalAndCoplanarPoint(stage.camera.getWorldDirection(new THREE.Vector3()), hit.point);
            this.held = { body: hit.body, pane: hit.pane, target: hit.point.clone(), local: group.worldToLocal(hit.point.clone()) };
            stage.controls.enabled = false;
            canvas.setPointerCapture(e.pointerId);
            canvas.focus();
            onTake();
        }, { capture: true });
        canvas.addEventListener("pointermove", (e) => {
            const at = this.held === null ? null : stage.aim(e.clientX, e.clientY, this.held.pane).ray.intersectPlane(this.plane, new THREE.Vector3());
            if (this.held !== null && at !== null) {
                this.held.target.copy(at);
            }
        });
        for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
            canvas.addEventListener(end, () => this.release());
        }
    }

    release(): void {
        this.held = null;
        this.stage.controls.enabled = true;
        this.stage.sceneries.forEach((s) => s.setSpring(null));
    }

    get body(): number {
        return this.held?.body ?? -1;
    }

    // From the centre of mass to the point that is held, in world axes [m].
    arm(pose: ArrayLike<number>): THREE.Vector3 {
        return this.held!.local.clone().applyQuaternion(new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]));
    }

    // Where that point is.
    point(pose: ArrayLike<number>): THREE.Vector3 {
        return new THREE.Vector3(pose[0], pose[1], pose[2]).add(this.arm(pose));
    }

    // Force [N] and torque [N m] on the held body, in world axes, about its centre of mass at `pose`. velocity: of the point.
    force(pose: ArrayLike<number>, velocity: THREE.Vector3, mass: number): number[] {
        const held = this.held!;
        const arm = this.arm(pose);
        const at = this.point(pose);
        const force = held.target.clone().sub(at).multiplyScalar(STIFFNESS * mass).addScaledVector(velocity, -DAMPING * mass).clampLength(0, MOST * mass);
        return [...force.toArray(), ...arm.cross(force).toArray()];
    }

    draw(): void {
        if (this.held !== null) {
            const group = this.stage.sceneries[this.held.pane]?.bodies[this.held.body];
            this.stage.sceneries[this.held.pane]?.setSpring(group === undefined ? null : [group.localToWorld(this.held.local.clone()), this.held.target]);
        }
    }
}
