// What is drawn: bodies as meshes or spheres, planes, the reference as a ghost, contacts and forces as arrows, trails. One
// camera, and a picture for each track side by side.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Arrows } from "./arrows";
import type { Contact, Joint } from "./engine";
import type { Body, Geom, Mesh, Plane } from "./format";
import { DARK, Ground, LIGHT, type Theme } from "./ground";
import { Impostors } from "./impostors";
import { Joints } from "./joints";

// Okabe and Ito's colours, which all kinds of sight tell apart.
export const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8a8a8a"];
const GHOST = "#7a7a7a";
const HIDDEN = new THREE.MeshBasicMaterial({ colorWrite: false, depthWrite: false, depthFunc: THREE.NeverDepth }); // no pixel is worked on
const SUN = new THREE.Vector3(-0.4, -0.6, 0.9); // direction to the light of spheres
const MAX_SHADOWS = 300; // bodies that cast them while their spheres are drawn: a call each
const TRAIL = 600; // points at most

export type Look = "mesh" | "spheres";

// How far a geom reaches from its middle [m].
function measureGeom(geom: Geom, meshes: Mesh[]): number {
    switch (geom.kind) {
        case "box":
            return Math.hypot(...geom.half);
        case "mesh":
            return meshes[geom.mesh]!.vertices.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
        default:
            return geom.radius + geom.halfLength;
    }
}

const measureBody = (body: Body, meshes: Mesh[]): number => Math.max(0, ...body.geoms.map((g) => measureGeom(g, meshes))) || Infinity;

// The largest reach of what moves [m].
export function measureBodies(bodies: Body[], meshes: Mesh[]): number {
    const reaches = bodies.filter((b) => b.kind !== "static").flatMap((b) => b.geoms.map((g) => measureGeom(g, meshes)));
    return Math.max(0, ...reaches) || 1;
}

export interface StageBody extends Body {
    centre: number[]; // of mass, in its frame [m]
}


function makeGeometry(geom: Geom, meshes: Mesh[]): THREE.BufferGeometry {
    switch (geom.kind) {
        case "box":
            return new THREE.BoxGeometry(2 * geom.half[0]!, 2 * geom.half[1]!, 2 * geom.half[2]!);
        case "ball":
            return new THREE.SphereGeometry(geom.radius, 32, 20);
        case "capsule":
            return new THREE.CapsuleGeometry(geom.radius, 2 * geom.halfLength, 10, 24).rotateX(Math.PI / 2);
        case "cylinder":
            return new THREE.CylinderGeometry(geom.radius, geom.radius, 2 * geom.halfLength, 40).rotateX(Math.PI / 2);
        case "mesh": {
            const mesh = meshes[geom.mesh]!;
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute("position", new THREE.BufferAttribute(mesh.vertices, 3));
            geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(mesh.triangles), 1));
            const flat = geometry.toNonIndexed();
            flat.computeVertexNormals();
            return flat;
        }
    }
}

// Geometry, edges and materials that bodies share.
class Parts {
    private readonly geometries = new Map<string, { solid: THREE.BufferGeometry; edges: THREE.BufferGeometry }>();
    constructor(private readonly meshes: Mesh[]) {}

    get(geom: Geom): { solid: THREE.BufferGeometry; edges: THREE.BufferGeometry } {
        const key = [geom.kind, geom.half, geom.radius, geom.halfLength, geom.kind === "mesh" ? geom.mesh : ""].join("|");
        let found = this.geometries.get(key);
        if (found === undefined) {
            const solid = makeGeometry(geom, this.meshes);
            found = { solid, edges: new THREE.EdgesGeometry(solid, geom.kind === "mesh" ? 40 : 30) };
            this.geometries.set(key, found);
        }
        return found;
    }
}

// One track's scene.
export class Scenery {
    readonly scene = new THREE.Scene();
    readonly bodies: THREE.Group[] = [];
    impostors: Impostors | null = null;
    joints: Joints | null = null;
    private readonly ghost: THREE.Group | null = null;
    private readonly arrows: Arrows;
    private readonly spring = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), new THREE.LineBasicMaterial({ color: "#d55e00", depthTest: false }));
    private readonly trails: THREE.Line[] = [];
    private readonly sun = new THREE.DirectionalLight("#ffffff", 2.2);
    private look: Look = "mesh";
    private firstColour = 0; // of the first body that moves: index into the palette
    private readonly solids: THREE.Mesh[] = [];
    private readonly grounds: Ground[] = [];
    private reach = 1; // of what is looked at [m]

    constructor(list: StageBody[], planes: Plane[], meshes: Mesh[], readonly size: number, referenceBody: number | null, theme: Theme, firstColour = 0) {
        const parts = new Parts(meshes);
        this.scene.background = new THREE.Color(theme.back);
        this.scene.add(new THREE.HemisphereLight("#ffffff", "#9aa3ad", 1.5));
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(1024, 1024);
        this.sun.shadow.bias = -5e-4;
        this.scene.add(this.sun, this.sun.target);
        for (const plane of planes) {
            const ground = new Ground(plane, theme);
            this.grounds.push(ground);
            this.scene.add(ground.object);
        }
        let coloured = firstColour;
        this.firstColour = firstColour;
        list.forEach((body, k) => {
            const colour = body.kind === "static" ? theme.static : body.kind === "kinematic" ? PALETTE[7]! : PALETTE[coloured++ % 6]!;
            const group = this.makeBody(body, parts, new THREE.MeshStandardMaterial({ color: colour, roughness: 0.75, metalness: 0 }), body.kind !== "static");
            group.userData["body"] = k;
            this.bodies.push(group);
            this.scene.add(group);
            const line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: colour }));
            line.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * TRAIL), 3));
            line.frustumCulled = false;
            line.visible = false;
            this.trails.push(line);
            this.scene.add(line);
        });
        if (referenceBody !== null) {
            const material = new THREE.MeshBasicMaterial({ color: GHOST, transparent: true, opacity: 0.25, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 4 });
            this.ghost = this.makeBody(list[referenceBody]!, parts, material, false, GHOST);
            this.scene.add(this.ghost);
        }
        this.arrows = new Arrows(size);
        this.spring.visible = false;
        this.spring.frustumCulled = false;
        this.spring.renderOrder = 6;
        this.scene.add(this.arrows.object, this.spring);
    }

    private makeBody(body: StageBody, parts: Parts, material: THREE.Material, shadow: boolean, edge = "#1a1a1a"): THREE.Group {
        const group = new THREE.Group();
        const inner = new THREE.Group();
        inner.position.set(-body.centre[0]!, -body.centre[1]!, -body.centre[2]!);
        group.add(inner);
        const lines = new THREE.LineBasicMaterial({ color: edge, transparent: true, opacity: 0.45 });
        for (const geom of body.geoms) {
            const { solid, edges } = parts.get(geom);
            const mesh = new THREE.Mesh(solid, material);
            mesh.castShadow = shadow;
            mesh.receiveShadow = shadow;
            mesh.position.set(geom.position[0]!, geom.position[1]!, geom.position[2]!);
            mesh.quaternion.set(geom.rotation[1]!, geom.rotation[2]!, geom.rotation[3]!, geom.rotation[0]!).normalize();
            if (geom.kind === "box" || geom.kind === "cylinder" || geom.kind === "mesh") {
                mesh.add(new THREE.LineSegments(edges, lines));
            }
            if (edge !== GHOST) {
                this.solids.push(mesh);
            }
            inner.add(mesh);
        }
        return group;
    }

    setSpheres(spheres: ArrayLike<number>[], owners: number[], list: StageBody[]): void {
        let coloured = this.firstColour;
        const colours = list.map((body) => (body.kind === "dynamic" ? coloured++ % 6 : 7));
        this.impostors = new Impostors(spheres, owners.map((o) => colours[o] ?? 7), PALETTE.map((c) => new THREE.Color(c)));
        this.scene.add(this.impostors.object);
        this.setLook(this.look);
    }

    setJoints(joints: Joint[], owners: number[], list: StageBody[], meshes: Mesh[], dark: boolean): void {
        const reach = (body: number): number => (body < 0 ? Infinity : measureBody(list[owners[body]!]!, meshes));
        this.joints = new Joints(joints, joints.map((j) => (j.kind === "gear" ? 0 : Math.min(this.size, reach(j.of[0]), reach(j.of[1])))), dark);
        this.scene.add(this.joints.object);
    }

    setLook(look: Look): void {
        this.look = look;
        const spheres = look === "spheres" && this.impostors !== null;
        if (this.impostors !== null) {
            this.impostors.object.visible = spheres;
        }
        for (const solid of this.solids) {
            const body = solid.parent?.parent?.userData["body"] as number;
            const hide = spheres && this.bodies[body] !== undefined;
            solid.visible = !hide || this.bodies.length <= MAX_SHADOWS;
            const own = (solid.userData["own"] ??= solid.material) as THREE.Material;
            solid.material = hide ? HIDDEN : own; // shadows stay
            solid.children.forEach((child) => (child.visible = !hide));
        }
    }

    // poses: 7 per body (position, rotation wxyz).
    setPoses(poses: ArrayLike<number>): void {
        this.bodies.forEach((group, k) => placeGroup(group, poses, 7 * k));
    }

    setGhost(poses: ArrayLike<number> | null): void {
        if (this.ghost !== null) {
            this.ghost.visible = poses !== null;
            if (poses !== null) {
                placeGroup(this.ghost, poses, 0);
            }
        }
    }

    setContacts(contacts: Contact[], scale: number, points: boolean, forces: boolean): void {
        this.arrows.set(contacts, scale, points, forces);
    }

    setTrail(body: number, points: Float32Array | null): void {
        const line = this.trails[body];
        if (line === undefined) {
            return;
        }
        line.visible = points !== null;
        if (points !== null) {
            const attribute = line.geometry.getAttribute("position") as THREE.BufferAttribute;
            const count = Math.min(TRAIL, points.length / 3);
            (attribute.array as Float32Array).set(points.subarray(0, 3 * count));
            attribute.needsUpdate = true;
            line.geometry.setDrawRange(0, count);
        }
    }

    // A line from where a body was taken to where it is pulled; null: none.
    setSpring(ends: [THREE.Vector3, THREE.Vector3] | null): void {
        this.spring.visible = ends !== null;
        if (ends !== null) {
            this.spring.geometry.setFromPoints(ends);
        }
    }

    setReach(reach: number): void {
        this.reach = reach;
        this.grounds.forEach((g) => g.setSize(6 * reach));
    }

    // Light, shadow and ground are where the viewer looks.
    setSun(target: THREE.Vector3): void {
        this.grounds.forEach((g) => g.follow(target));
        const span = Math.max(1.6 * this.reach, 8 * this.size); // what drifts has a shadow, too
        this.sun.position.copy(target).add(new THREE.Vector3(-0.5, -0.8, 1.9).multiplyScalar(span));
        this.sun.target.position.copy(target);
        const camera = this.sun.shadow.camera;
        camera.left = camera.bottom = -span;
        camera.right = camera.top = span;
        camera.near = 0.05 * span;
        camera.far = 6 * span;
        camera.updateProjectionMatrix();
    }
}

function placeGroup(group: THREE.Group, poses: ArrayLike<number>, at: number): void {
    const g = (k: number): number => poses[at + k] ?? NaN;
    group.visible = Number.isFinite(g(0) + g(1) + g(2));
    if (group.visible) {
        group.position.set(g(0), g(1), g(2));
        group.quaternion.set(g(4), g(5), g(6), g(3));
    }
}

export class Stage {
    readonly renderer: THREE.WebGLRenderer;
    readonly camera = new THREE.PerspectiveCamera(38, 1, 0.01, 100);
    readonly controls: OrbitControls;
    readonly sceneries: Scenery[] = [];
    readonly theme: Theme;
    private readonly ray = new THREE.Raycaster();
    private followed = new THREE.Vector3();
    private following = false;

    constructor(readonly canvas: HTMLCanvasElement, dark: boolean) {
        this.theme = dark ? DARK : LIGHT;
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        this.renderer.setScissorTest(true);
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = false;
    }

    // Looks at a box, by default from the front, left and above.
    // lens: from so many times as far away, enlarged as much, which bends wide pictures less at their sides.
    frame(lower: THREE.Vector3, upper: THREE.Vector3, from = new THREE.Vector3(0.45, -0.8, 0.42), lens = 1): void {
        this.lens = lens;
        const centre = lower.clone().add(upper).multiplyScalar(0.5);
        const radius = Math.max(1e-3, 0.5 * upper.clone().sub(lower).length());
        this.sceneries.forEach((s) => s.setReach(Math.max(2.5 * s.size, radius)));
        this.camera.near = 0.01 * radius;
        this.camera.far = 200 * radius * lens;
        const distance = (1.02 * radius * lens) / Math.sin((0.5 * this.camera.fov * Math.PI) / 180);
        this.controls.target.copy(centre);
        this.camera.position.copy(centre).addScaledVector(from.clone().normalize(), distance);
        this.camera.updateProjectionMatrix();
        this.controls.update();
    }

    private sharpness = 1;

    resize(width: number, height: number): void {
        this.renderer.setPixelRatio(this.sharpness * Math.min(2, window.devicePixelRatio));
        this.renderer.setSize(width, height, false);
    }

    // The share of the screen's pixels that are drawn, across and down (pace.ts).
    setSharpness(share: number): void {
        if (share !== this.sharpness) {
            this.sharpness = share;
            this.renderer.setPixelRatio(share * Math.min(2, window.devicePixelRatio));
        }
    }

    lens = 1;
    rows: boolean | null = null; // pictures one above the other; null: where the canvas is taller than wide

    private panes(): { x: number; y: number; width: number; height: number }[] {
        const size = this.renderer.getSize(new THREE.Vector2());
        const count = Math.max(1, this.sceneries.length);
        const rows = this.rows ?? size.y > size.x;
        return this.sceneries.map((_, k) =>
            rows
                ? { x: 0, y: Math.floor((size.y * (count - 1 - k)) / count), width: size.x, height: Math.floor(size.y / count) }
                : { x: Math.floor((size.x * k) / count), y: 0, width: Math.floor(size.x / count), height: size.y },
        );
    }

    // Where each picture is, as shares of the canvas from its upper left corner.
    paneCorners(): { left: number; top: number }[] {
        const size = this.renderer.getSize(new THREE.Vector2());
        return this.panes().map((p) => ({ left: p.x / size.x, top: 1 - (p.y + p.height) / size.y }));
    }

    follow(position: THREE.Vector3 | null): void {
        if (position !== null && this.following) {
            const moved = position.clone().sub(this.followed);
            this.camera.position.add(moved);
            this.controls.target.add(moved);
        }
        this.following = position !== null;
        if (position !== null) {
            this.followed.copy(position);
        }
    }

    render(): void {
        this.controls.update();
        this.panes().forEach((pane, k) => {
            const scenery = this.sceneries[k]!;
            this.renderer.setViewport(pane.x, pane.y, pane.width, pane.height);
            this.renderer.setScissor(pane.x, pane.y, pane.width, pane.height);
            this.setPane(pane);
            scenery.setSun(this.controls.target);
            scenery.impostors?.setView(SUN, this.camera, pane.height * this.renderer.getPixelRatio());
            this.renderer.render(scenery.scene, this.camera);
        });
    }

    private setPane(pane: { width: number; height: number }): void {
        this.camera.aspect = pane.width / Math.max(1, pane.height);
        // narrow panes see as much to the sides as square ones
        this.camera.zoom = this.lens * Math.min(1, this.camera.aspect);
        this.camera.updateProjectionMatrix();
        this.camera.updateMatrixWorld();
    }

    // Which picture a point of the canvas is in; -1: none.
    private findPane(clientX: number, clientY: number): number {
        const box = this.canvas.getBoundingClientRect();
        const x = clientX - box.left;
        const y = box.bottom - clientY;
        return this.panes().findIndex((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height);
    }

    // The ray through a point of the canvas, seen in a picture.
    aim(clientX: number, clientY: number, pane: number): THREE.Raycaster {
        const box = this.canvas.getBoundingClientRect();
        const found = this.panes()[pane]!;
        this.setPane(found);
        this.ray.setFromCamera(new THREE.Vector2((2 * (clientX - box.left - found.x)) / found.width - 1, (2 * (box.bottom - clientY - found.y)) / found.height - 1), this.camera);
        return this.ray;
    }

    // Where a point of the world is on the screen, in a picture.
    project(point: THREE.Vector3, pane: number): { x: number; y: number } {
        const box = this.canvas.getBoundingClientRect();
        const found = this.panes()[pane]!;
        this.setPane(found);
        const at = point.clone().project(this.camera);
        return { x: box.left + found.x + (0.5 + 0.5 * at.x) * found.width, y: box.bottom - found.y - (0.5 + 0.5 * at.y) * found.height };
    }

    // The body under a point of the canvas.
    pick(clientX: number, clientY: number): { pane: number; body: number; point: THREE.Vector3 } | null {
        const pane = this.findPane(clientX, clientY);
        if (pane < 0) {
            return null;
        }
        const hits = this.aim(clientX, clientY, pane).intersectObjects(this.sceneries[pane]!.bodies, true);
        const hit = hits.find((h) => h.object instanceof THREE.Mesh);
        let node: THREE.Object3D | null = hit?.object ?? null;
        while (node !== null && node.userData["body"] === undefined) {
            node = node.parent;
        }
        return hit === undefined || node === null ? null : { pane, body: node.userData["body"] as number, point: hit.point };
    }
}
