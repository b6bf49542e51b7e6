// Joints of a mechanism: axes of hinges and slides as rods, what holds points together as balls, rods without mass and struts
// as lines, and gears as lines between the axes that they couple.
import * as THREE from "three";
import type { Joint } from "./engine";

const ROD = 0.35; // half length and radius of an axis over the reach of the joint's smaller body
const THIN = 0.05;
const BALL = 0.09;

type Numbers = readonly [number, number, number];

export class Joints {
    readonly object = new THREE.Group();
    private readonly rods: THREE.InstancedMesh;
    private readonly balls: THREE.InstancedMesh;
    private readonly lines: THREE.LineSegments;

    // sizes: of each joint, the reach of its smaller body [m].
    constructor(private readonly list: Joint[], private readonly sizes: number[], dark: boolean) {
        const material = new THREE.MeshBasicMaterial({ color: dark ? "#e6d5ff" : "#3f007d", depthTest: false, transparent: true, opacity: 0.8 });
        this.rods = new THREE.InstancedMesh(new THREE.CylinderGeometry(1, 1, 2, 12).rotateX(Math.PI / 2), material, Math.max(1, list.length));
        this.balls = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 14, 10), material, Math.max(1, 2 * list.length));
        this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: material.color, depthTest: false }));
        this.lines.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6 * list.length), 3));
        for (const part of [this.rods, this.balls, this.lines]) {
            part.frustumCulled = false;
            part.renderOrder = 4;
            this.object.add(part);
        }
    }

    // poses: 7 per body of the recipe (position, rotation wxyz).
    setPoses(poses: ArrayLike<number>, shown: boolean): void {
        this.object.visible = shown;
        const matrix = new THREE.Matrix4();
        const still = new THREE.Quaternion();
        const ends = this.list.map((joint) => ({ a: place(poses, joint.of[0], joint.anchorA), b: place(poses, joint.of[1], joint.anchorB) }));
        const lines = this.lines.geometry.getAttribute("position") as THREE.BufferAttribute;
        let [rods, balls, points] = [0, 0, 0];
        const addBall = (at: THREE.Vector3, size: number): void => {
            this.balls.setMatrixAt(balls++, matrix.compose(at, still, new THREE.Vector3().setScalar(BALL * size)));
        };
        const addLine = (from: THREE.Vector3, to: THREE.Vector3): void => [from, to].forEach((p) => lines.setXYZ(points++, p.x, p.y, p.z));
        this.list.forEach((joint, k) => {
            const { a, b } = ends[k]!;
            const size = this.sizes[k]!;
            switch (joint.kind) {
                case "gear": // between where its two axes are
                    addLine(ends[joint.of[0]]!.b, ends[joint.of[1]]!.b);
                    break;
                case "exclusion":
                    break;
                case "hinge":
                case "slide": {
                    const axis = new THREE.Vector3(...joint.axis).applyQuaternion(getTurn(poses, joint.of[0])).normalize();
                    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis);
                    this.rods.setMatrixAt(rods++, matrix.compose(b, turn, new THREE.Vector3(THIN * size, THIN * size, ROD * size)));
                    if (joint.kind === "slide") {
                        addLine(a, b);
                    }
                    break;
                }
                case "distance":
                case "span":
                    addLine(a, b);
                    addBall(a, size);
                    addBall(b, size);
                    break;
                default:
                    addBall(b, size);
            }
        });
        this.rods.count = rods;
        this.balls.count = balls;
        this.lines.geometry.setDrawRange(0, points);
        this.rods.instanceMatrix.needsUpdate = this.balls.instanceMatrix.needsUpdate = lines.needsUpdate = true;
    }
}

const getTurn = (poses: ArrayLike<number>, body: number): THREE.Quaternion =>
    body < 0 ? new THREE.Quaternion() : new THREE.Quaternion(poses[7 * body + 4], poses[7 * body + 5], poses[7 * body + 6], poses[7 * body + 3]);

// A point of a body (-1: of the world) in the world.
function place(poses: ArrayLike<number>, body: number, point: Numbers): THREE.Vector3 {
    const at = new THREE.Vector3(...point);
    return body < 0 ? at : at.applyQuaternion(getTurn(poses, body)).add(new THREE.Vector3(poses[7 * body], poses[7 * body + 1], poses[7 * body + 2]));
}
