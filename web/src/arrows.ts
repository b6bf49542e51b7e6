// Contacts as points, and their forces as arrows.
import * as THREE from "three";
import type { Contact } from "./engine";

const MAX_ARROWS = 600;

// Arrows of forces and points of contacts, as many as there are (up to MAX_ARROWS).
export class Arrows {
    readonly object = new THREE.Group();
    private readonly shafts: THREE.InstancedMesh;
    private readonly heads: THREE.InstancedMesh;
    private readonly dots: THREE.InstancedMesh;

    constructor(private readonly size: number) {
        const red = new THREE.MeshBasicMaterial({ color: "#d55e00", depthTest: false });
        const dark = new THREE.MeshBasicMaterial({ color: "#111111", depthTest: false });
        this.shafts = new THREE.InstancedMesh(new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5), red, MAX_ARROWS);
        this.heads = new THREE.InstancedMesh(new THREE.ConeGeometry(1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, -0.5), red, MAX_ARROWS);
        this.dots = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 8, 6), dark, MAX_ARROWS);
        for (const mesh of [this.shafts, this.heads, this.dots]) {
            mesh.frustumCulled = false;
            mesh.renderOrder = 5;
            mesh.count = 0;
            this.object.add(mesh);
        }
    }

    // scale: metres per newton.
    set(contacts: Contact[], scale: number, points: boolean, forces: boolean): void {
        const matrix = new THREE.Matrix4();
        const turn = new THREE.Quaternion();
        const up = new THREE.Vector3(0, 0, 1);
        const shown = [...contacts].sort((a, b) => Math.hypot(...b.force) - Math.hypot(...a.force)).slice(0, MAX_ARROWS);
        let arrows = 0;
        shown.forEach((contact, k) => {
            const at = new THREE.Vector3(...contact.point);
            const force = new THREE.Vector3(...contact.force);
            this.dots.setMatrixAt(k, matrix.compose(at, turn.identity(), new THREE.Vector3().setScalar(0.012 * this.size)));
            const length = force.length() * scale;
            if (forces && length > 0.01 * this.size) {
                const head = Math.min(0.06 * this.size, 0.5 * length);
                turn.setFromUnitVectors(up, force.normalize());
                const width = 0.011 * this.size;
                this.shafts.setMatrixAt(arrows, matrix.compose(at, turn, new THREE.Vector3(width, width, Math.max(1e-9, length - head))));
                const tip = at.clone().addScaledVector(force, length);
                this.heads.setMatrixAt(arrows, matrix.compose(tip, turn, new THREE.Vector3(2.6 * width, 2.6 * width, head)));
                arrows++;
            }
        });
        this.dots.count = points ? shown.length : 0;
        this.shafts.count = this.heads.count = arrows;
        for (const mesh of [this.shafts, this.heads, this.dots]) {
            mesh.instanceMatrix.needsUpdate = true;
        }
    }
}
