// Spheres as impostors: a triangle each that faces the viewer, on which a ball is drawn with its true depth; or, where all are
// small in the picture, a point each. A sphere keeps its place in its body; where bodies are stands in a texture, so that moving
// 100,000 of them costs as much as moving their bodies.
import * as THREE from "three";

const SMALL = 4; // radius in pixels up to which a sphere is a point

const PLACE = `
precision highp float;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform sampler2D poses; // two texels per body: position and 1 where it is shown, rotation xyzw
uniform vec3 colours[8]; // for the screen
in vec4 sphere; // place about the centre of mass, radius
in vec2 owner; // body, colour
out vec3 tint;

vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }

// In the viewer's axes, and 1 where it is shown.
vec4 place() {
    int k = int(owner.x + 0.5);
    vec4 at = texelFetch(poses, ivec2(0, k), 0);
    tint = colours[int(owner.y + 0.5)];
    return vec4((viewMatrix * vec4(at.xyz + turn(texelFetch(poses, ivec2(1, k), 0), sphere.xyz), 1.0)).xyz, at.w);
}
`;

const SHADE = `
precision highp float;
uniform vec3 light; // direction to it, in the viewer's axes
in vec3 tint;
out vec4 colour;

void shade(vec3 normal) {
    float lit = 0.42 + 0.58 * max(0.0, dot(normal, light));
    float rim = 0.75 + 0.25 * smoothstep(0.0, 0.5, normal.z);
    colour = vec4(tint * pow(lit * rim, 1.0 / 2.2), 1.0);
}
`;

const ballVertex = `${PLACE}
const vec2 CORNERS[3] = vec2[3](vec2(0.0, 2.0), vec2(-1.7320508, -1.0), vec2(1.7320508, -1.0)); // around the unit circle
out vec3 viewCentre;
out vec3 viewCorner;
out float ballRadius;

void main() {
    vec4 centre = place();
    ballRadius = sphere.w;
    viewCentre = centre.xyz;
    // Across the line to its centre the ball is seen as a circle, of its radius over the cosine of half its angle; a viewer
    // inside sees nothing of it.
    float square = dot(centre.xyz, centre.xyz);
    vec3 ahead = centre.xyz * inversesqrt(max(square, 1e-12));
    vec3 right = normalize(cross(ahead, vec3(0.0, 1.0, 1e-4)));
    vec2 corner = CORNERS[gl_VertexID % 3] * ballRadius * inversesqrt(max(1.0 - ballRadius * ballRadius / max(square, 1e-12), 0.01));
    viewCorner = centre.xyz + corner.x * right + corner.y * cross(right, ahead);
    gl_Position = centre.w > 0.5 ? projectionMatrix * vec4(viewCorner, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`;

const ballFragment = `${SHADE}
uniform mat4 projectionMatrix;
in vec3 viewCentre;
in vec3 viewCorner;
in float ballRadius;

void main() {
    vec3 ray = normalize(viewCorner);
    float along = dot(ray, viewCentre);
    float square = along * along - dot(viewCentre, viewCentre) + ballRadius * ballRadius;
    if (square < 0.0) discard;
    vec3 hit = ray * (along - sqrt(square));
    vec4 clip = projectionMatrix * vec4(hit, 1.0);
    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
    shade((hit - viewCentre) / ballRadius);
}`;

// As a disc at the depth of the ball's front.
const pointVertex = `${PLACE}
uniform float pixels; // of a metre that is a metre away

void main() {
    vec4 centre = place();
    gl_PointSize = 2.0 * pixels * sphere.w / max(-centre.z, 1e-6);
    gl_Position = centre.w > 0.5 ? projectionMatrix * vec4(centre.xy, centre.z + sphere.w, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`;

const pointFragment = `${SHADE}
void main() {
    vec2 at = vec2(2.0, -2.0) * (gl_PointCoord - 0.5);
    float square = dot(at, at);
    if (square > 1.0) discard;
    shade(vec3(at, sqrt(1.0 - square)));
}`;

// repeat: corners of a sphere.
function makeGeometry(numbers: Float32Array, repeat: number): THREE.BufferGeometry {
    const corners = new Float32Array(repeat * numbers.length);
    for (let k = 0; k < corners.length; k += 6) {
        const from = 6 * Math.floor(k / (6 * repeat));
        corners.set(numbers.subarray(from, from + 6), k);
    }
    const buffer = new THREE.InterleavedBuffer(corners, 6);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("sphere", new THREE.InterleavedBufferAttribute(buffer, 4, 0));
    geometry.setAttribute("owner", new THREE.InterleavedBufferAttribute(buffer, 2, 4));
    geometry.setDrawRange(0, corners.length / 6);
    return geometry;
}

export class Impostors {
    readonly object = new THREE.Group();
    private readonly poses: THREE.DataTexture;
    private readonly data: Float32Array;
    private readonly reach: Float32Array; // of each body: its largest sphere's radius, and how far from its centre its spheres go [m]
    private readonly uniforms: Record<string, THREE.IUniform>;
    private readonly balls: THREE.Mesh;
    private readonly points: THREE.Points;

    // spheres[k]: 4 numbers each, of body k; colours[k]: index into the palette.
    constructor(spheres: ArrayLike<number>[], colours: number[], palette: THREE.Color[]) {
        const total = spheres.reduce((sum, s) => sum + s.length / 4, 0);
        const numbers = new Float32Array(6 * total);
        this.reach = new Float32Array(2 * spheres.length);
        let at = 0;
        spheres.forEach((list, body) => {
            for (let k = 0; k < list.length; k += 4, at += 6) {
                const [x, y, z, radius] = [list[k]!, list[k + 1]!, list[k + 2]!, list[k + 3]!];
                numbers.set([x, y, z, radius, body, colours[body] ?? 0], at);
                this.reach[2 * body] = Math.max(this.reach[2 * body]!, radius);
                this.reach[2 * body + 1] = Math.max(this.reach[2 * body + 1]!, Math.hypot(x, y, z) + radius);
            }
        });
        const rows = Math.max(1, spheres.length);
        this.data = new Float32Array(8 * rows);
        this.poses = new THREE.DataTexture(this.data, 2, rows, THREE.RGBAFormat, THREE.FloatType);
        this.poses.needsUpdate = true;
        const vectors = Array.from({ length: 8 }, (_, k) => {
            const colour = palette[k % palette.length]!;
            return new THREE.Vector3(colour.r ** (1 / 2.2), colour.g ** (1 / 2.2), colour.b ** (1 / 2.2));
        });
        this.uniforms = { poses: { value: this.poses }, colours: { value: vectors }, light: { value: new THREE.Vector3(0, 0, 1) }, pixels: { value: 1 } };
        const make = (vertexShader: string, fragmentShader: string): THREE.RawShaderMaterial =>
            new THREE.RawShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader, fragmentShader, uniforms: this.uniforms });
        // Three corners each, and no instances: these cost software renderers, and some cards, a call each.
        this.balls = new THREE.Mesh(makeGeometry(numbers, 3), make(ballVertex, ballFragment));
        this.points = new THREE.Points(makeGeometry(numbers, 1), make(pointVertex, pointFragment));
        this.balls.frustumCulled = this.points.frustumCulled = false;
        this.object.add(this.balls, this.points);
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

    // Before a picture: how it is seen, and in so many rows of pixels. Where no sphere covers more than a few of them, all are
    // points, with a third of the vertices and without a depth of every pixel.
    setView(light: THREE.Vector3, camera: THREE.PerspectiveCamera, height: number): void {
        (this.uniforms["light"]!.value as THREE.Vector3).copy(light).transformDirection(camera.matrixWorldInverse);
        const pixels = 0.5 * height * camera.projectionMatrix.elements[5]!;
        this.uniforms["pixels"]!.value = pixels;
        const eye = camera.position;
        let largest = 0;
        for (let k = 0; 2 * k < this.reach.length; k++) {
            const [x, y, z, shown] = [this.data[8 * k]!, this.data[8 * k + 1]!, this.data[8 * k + 2]!, this.data[8 * k + 3]!];
            const distance = Math.hypot(x - eye.x, y - eye.y, z - eye.z) - this.reach[2 * k + 1]!;
            largest = Math.max(largest, (shown * this.reach[2 * k]!) / Math.max(distance, 1e-9));
        }
        this.points.visible = largest * pixels <= SMALL;
        this.balls.visible = !this.points.visible;
    }
}
