// Spheres as impostors: a triangle each that faces the viewer, on which a ball is drawn with its true depth. A sphere keeps its
// place in its body; where bodies are stands in a texture, so that moving 100,000 of them costs as much as moving their bodies.
import * as THREE from "three";

const vertexShader = `
precision highp float;
const vec2 CORNERS[3] = vec2[3](vec2(0.0, 2.0), vec2(-1.7320508, -1.0), vec2(1.7320508, -1.0)); // around the unit circle
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform sampler2D poses; // two texels per body: position and 1 where it is shown, rotation xyzw
uniform vec3 colours[8];
in vec4 sphere; // place about the centre of mass, radius
in float owner; // body
in float colour;
out vec3 viewCentre;
out vec3 viewCorner;
out float ballRadius;
out vec3 tint;

vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }

void main() {
    int k = int(owner + 0.5);
    vec4 place = texelFetch(poses, ivec2(0, k), 0);
    vec4 q = texelFetch(poses, ivec2(1, k), 0);
    vec4 centre = viewMatrix * vec4(place.xyz + turn(q, sphere.xyz), 1.0);
    ballRadius = sphere.w;
    viewCentre = centre.xyz;
    // Across the line to its centre the ball is seen as a circle, of its radius over the cosine of half its angle; a viewer
    // inside sees nothing of it.
    float square = dot(centre.xyz, centre.xyz);
    vec3 ahead = centre.xyz * inversesqrt(max(square, 1e-12));
    vec3 right = normalize(cross(ahead, vec3(0.0, 1.0, 1e-4)));
    vec2 corner = CORNERS[gl_VertexID % 3] * ballRadius * inversesqrt(max(1.0 - ballRadius * ballRadius / max(square, 1e-12), 0.01));
    viewCorner = centre.xyz + corner.x * right + corner.y * cross(right, ahead);
    tint = colours[int(colour + 0.5)];
    gl_Position = place.w > 0.5 ? projectionMatrix * vec4(viewCorner, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`;

const fragmentShader = `
precision highp float;
uniform mat4 projectionMatrix;
uniform vec3 light; // direction to it, in the viewer's axes
in vec3 viewCentre;
in vec3 viewCorner;
in float ballRadius;
in vec3 tint;
out vec4 colour;

void main() {
    vec3 ray = normalize(viewCorner);
    float along = dot(ray, viewCentre);
    float square = along * along - dot(viewCentre, viewCentre) + ballRadius * ballRadius;
    if (square < 0.0) discard;
    vec3 hit = ray * (along - sqrt(square));
    vec3 normal = (hit - viewCentre) / ballRadius;
    float lit = 0.42 + 0.58 * max(0.0, dot(normal, light));
    float rim = 0.75 + 0.25 * smoothstep(0.0, 0.5, normal.z);
    vec4 clip = projectionMatrix * vec4(hit, 1.0);
    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
    colour = vec4(pow(tint * lit * rim, vec3(1.0 / 2.2)), 1.0);
}`;

export class Impostors {
    readonly object: THREE.Mesh;
    private readonly poses: THREE.DataTexture;
    private readonly data: Float32Array;
    private readonly material: THREE.RawShaderMaterial;

    // spheres[k]: 4 numbers each, of body k; colours[k]: index into the palette.
    constructor(spheres: ArrayLike<number>[], colours: number[], palette: THREE.Color[]) {
        const total = spheres.reduce((sum, s) => sum + s.length / 4, 0);
        // Three corners each, and no instances: these cost software renderers, and some cards, a call each.
        const places = new Float32Array(12 * total);
        const owners = new Float32Array(3 * total);
        const tints = new Float32Array(3 * total);
        let at = 0;
        spheres.forEach((list, body) => {
            for (let k = 0; k < 3 * (list.length / 4); k++, at++) {
                const first = 4 * Math.floor(k / 3);
                places.set([list[first]!, list[first + 1]!, list[first + 2]!, list[first + 3]!], 4 * at);
                owners[at] = body;
                tints[at] = colours[body] ?? 0;
            }
        });
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("sphere", new THREE.BufferAttribute(places, 4));
        geometry.setAttribute("owner", new THREE.BufferAttribute(owners, 1));
        geometry.setAttribute("colour", new THREE.BufferAttribute(tints, 1));
        geometry.setDrawRange(0, 3 * total);
        const rows = Math.max(1, spheres.length);
        this.data = new Float32Array(8 * rows);
        this.poses = new THREE.DataTexture(this.data, 2, rows, THREE.RGBAFormat, THREE.FloatType);
        this.poses.needsUpdate = true;
        const vectors = Array.from({ length: 8 }, (_, k) => {
            const colour = palette[k % palette.length]!;
            return new THREE.Vector3(colour.r, colour.g, colour.b);
        });
        this.material = new THREE.RawShaderMaterial({
            glslVersion: THREE.GLSL3,
            vertexShader,
            fragmentShader,
            uniforms: { poses: { value: this.poses }, colours: { value: vectors }, light: { value: new THREE.Vector3(0, 0, 1) } },
        });
        this.object = new THREE.Mesh(geometry, this.material);
        this.object.frustumCulled = false;
    }

    // poses: 7 per body, position and rotation wxyz; NaN: not shown.
    setPoses(poses: ArrayLike<number>): void {
        for (let k = 0; k < this.data.length / 8 && 7 * k < poses.length; k++) {
            const g = (i: number): number => poses[7 * k + i]!;
            const shown = Number.isFinite(g(0) + g(1) + g(2));
            this.data.set(shown ? [g(0), g(1), g(2), 1, g(4), g(5), g(6), g(3)] : [0, 0, 0, 0, 0, 0, 0, 1], 8 * k);
        }
        this.poses.needsUpdate = true;
    }

    setLight(direction: THREE.Vector3, camera: THREE.Camera): void {
        (this.material.uniforms["light"]!.value as THREE.Vector3).copy(direction).transformDirection(camera.matrixWorldInverse);
    }
}
