// MuJoCo in its own WebAssembly package, beside our engine: the same scene, the same clock, the same pull.
import loadMujoco from "@mujoco/mujoco";

type Module = Awaited<ReturnType<typeof loadMujoco>>;

export class Mujoco {
    private model: ReturnType<Module["MjModel"]["from_xml_string"]> | null = null;
    private data: InstanceType<Module["MjData"]> | null = null;
    readonly version: string;

    private constructor(private readonly module: Module) {
        this.version = module.mj_versionString();
    }

    static async load(binary: Uint8Array<ArrayBuffer>): Promise<Mujoco> {
        const url = URL.createObjectURL(new Blob([binary], { type: "application/wasm" }));
        return new Mujoco(await loadMujoco({ locateFile: () => url }));
    }

    // keyframe: start from the model's first one.
    open(xml: string): void {
        this.close();
        this.model = this.module.MjModel.from_xml_string(xml);
        this.data = new this.module.MjData(this.model);
        if (Number(this.model.nkey) > 0) {
            this.module.mj_resetDataKeyframe(this.model, this.data, 0);
        }
        this.module.mj_forward(this.model, this.data);
    }

    close(): void {
        this.data?.delete();
        this.model?.delete();
        this.data = this.model = null;
    }

    get bodyCount(): number {
        return this.model === null ? 0 : Number(this.model.nbody) - 1;
    }

    get time(): number {
        return this.data === null ? 0 : Number(this.data.time);
    }

    step(): void {
        this.module.mj_step(this.model!, this.data!);
    }

    // 7 numbers per body: its centre of mass, and its rotation wxyz.
    poses(): Float64Array {
        const out = new Float64Array(7 * this.bodyCount);
        const places = this.data!.xipos as Float64Array;
        const turns = this.data!.xquat as Float64Array;
        for (let k = 0; k < this.bodyCount; k++) {
            out.set(places.subarray(3 * k + 3, 3 * k + 6), 7 * k);
            out.set(turns.subarray(4 * k + 4, 4 * k + 8), 7 * k + 3);
        }
        return out;
    }

    // Of the centre of mass, world axes: where a body was a step ago is enough for a pull.
    pull(body: number, force: number[], torque: number[]): void {
        const all = this.data!.xfrc_applied as Float64Array;
        all.fill(0);
        if (body >= 0 && body < this.bodyCount) {
            all.set([...force, ...torque], 6 * (body + 1));
        }
    }

    setFriction(mu: number): void {
        const all = this.model!.geom_friction as Float64Array;
        for (let k = 0; k < all.length; k += 3) {
            all[k] = mu;
        }
    }
}
