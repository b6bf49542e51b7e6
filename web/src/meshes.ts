// Meshes of one's own: OBJ, STL and PLY by three.js's loaders, as vertices and triangles about the middle of their box, 0.2 m in
// their largest extent.
import * as THREE from "three";
import { OBJLoader } from "three/addons/loaders/OBJLoader.js";
import { PLYLoader } from "three/addons/loaders/PLYLoader.js";
import { STLLoader } from "three/addons/loaders/STLLoader.js";
import * as BufferGeometryUtils from "three/addons/utils/BufferGeometryUtils.js";
import { type LabPart, makePart } from "./labscene";

const EXTENT = 0.2; // [m]
export const MESH_ENDINGS = ["obj", "stl", "ply"];

function readGeometry(kind: string, bytes: ArrayBuffer): THREE.BufferGeometry {
    switch (kind) {
        case "stl":
            return new STLLoader().parse(bytes);
        case "ply":
            return new PLYLoader().parse(bytes);
        default: {
            const found: THREE.BufferGeometry[] = [];
            new OBJLoader().parse(new TextDecoder().decode(bytes)).traverse((o) => o instanceof THREE.Mesh && found.push(o.geometry as THREE.BufferGeometry));
            if (found.length === 0) {
                throw new Error("no faces");
            }
            return BufferGeometryUtils.mergeGeometries(found.map((g) => (g.index === null ? g : g.toNonIndexed())));
        }
    }
}

export function readMesh(kind: string, bytes: ArrayBuffer, turn = 0): LabPart {
    const geometry = readGeometry(kind, bytes).rotateZ(turn);
    geometry.deleteAttribute("normal");
    geometry.deleteAttribute("uv");
    const merged = BufferGeometryUtils.mergeVertices(geometry, 1e-6);
    merged.computeBoundingBox();
    const size = merged.boundingBox!.getSize(new THREE.Vector3());
    const centre = merged.boundingBox!.getCenter(new THREE.Vector3());
    const scale = EXTENT / Math.max(size.x, size.y, size.z);
    if (!Number.isFinite(scale)) {
        throw new Error("the mesh has no extent");
    }
    const at = merged.getAttribute("position");
    const index = merged.getIndex()!;
    return makePart("mesh", {
        vertices: Array.from({ length: at.count }, (_, k) => [(at.getX(k) - centre.x) * scale, (at.getY(k) - centre.y) * scale, (at.getZ(k) - centre.z) * scale]),
        triangles: Array.from({ length: index.count / 3 }, (_, k) => [index.getX(3 * k), index.getX(3 * k + 1), index.getX(3 * k + 2)]),
    });
}
