// The colours of a scene, and its planes.
import * as THREE from "three";
import type { Plane } from "./format";

export interface Theme {
    back: string;
    ground: string;
    line: string;
    static: string;
}

export const LIGHT: Theme = { back: "#f4f5f7", ground: "#e3e6ea", line: "#aab2bb", static: "#b9c0c8" };
export const DARK: Theme = { back: "#15181c", ground: "#22272d", line: "#4a535d", static: "#5b646e" };

// A plane as a square with a grid that fades away from the middle, which goes with the viewer's eye.
export class Ground {
    readonly object = new THREE.Group();
    private readonly normal: THREE.Vector3;
    private readonly material: THREE.ShaderMaterial;
    private readonly shadow: THREE.Mesh;

    constructor(private readonly plane: Plane, theme: Theme) {
        this.material = makeGrid(theme);
        const mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.material);
        mesh.frustumCulled = false;
        this.shadow = new THREE.Mesh(mesh.geometry, new THREE.ShadowMaterial({ opacity: 0.28 }));
        this.shadow.receiveShadow = true;
        mesh.renderOrder = -2;
        this.shadow.renderOrder = -1;
        this.object.add(mesh, this.shadow);
        this.normal = new THREE.Vector3(...(plane.normal as [number, number, number])).normalize();
        this.object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.normal);
        this.setSize(1);
    }

    setSize(size: number): void {
        this.material.uniforms["size"]!.value = size;
        this.material.uniforms["cell"]!.value = Math.pow(10, Math.floor(Math.log10(size / 2)));
        this.shadow.scale.set(size, size, 1);
        this.shadow.position.z = 1e-4 * size;
    }

    // The grid stays where it is.
    follow(target: THREE.Vector3): void {
        const group = this.object;
        group.position.copy(target).addScaledVector(this.normal, this.plane.offset - this.normal.dot(target));
        const local = group.position.clone().applyQuaternion(group.quaternion.clone().invert());
        // whole cells only, so that large numbers do not blur it
        const period = 10 * (this.material.uniforms["cell"]!.value as number);
        (this.material.uniforms["shift"]!.value as THREE.Vector2).set(local.x % period, local.y % period);
    }
}

function makeGrid(theme: Theme): THREE.ShaderMaterial {
    return new THREE.ShaderMaterial({
        transparent: true,
        depthWrite: false,
        side: THREE.DoubleSide,
        uniforms: {
            ground: { value: new THREE.Color(theme.ground) },
            line: { value: new THREE.Color(theme.line) },
            cell: { value: 1 },
            size: { value: 1 },
            shift: { value: new THREE.Vector2() },
        },
        vertexShader: `uniform float size; varying vec2 at; void main() { at = size * position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(at, 0.0, 1.0); }`,
        fragmentShader: `
            uniform vec3 ground, line; uniform float cell, size; uniform vec2 shift; varying vec2 at;
            float grid(float width) { vec2 g = (at + shift) / width; vec2 d = abs(fract(g - 0.5) - 0.5) / fwidth(g); return 1.0 - min(min(d.x, d.y), 1.0); }
            void main() {
                float fade = 1.0 - smoothstep(0.35 * size, size, length(at));
                float lines = max(0.35 * grid(cell), grid(10.0 * cell));
                gl_FragColor = vec4(mix(ground, line, lines), fade);
                #include <colorspace_fragment>
            }`,
    });
}
