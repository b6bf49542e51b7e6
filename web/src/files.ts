// A few files in memory for the engine, whose C library asks for them by WASI and Emscripten's system calls. Read only.

const NOT_FOUND = -44; // -ENOENT, in WASI's numbers
const BAD_FILE = 8; // EBADF
const FIRST = 16;

type Import = (...args: (number | bigint)[]) => number;

export class Files {
    readonly named = new Map<string, Uint8Array>();
    private readonly open = new Map<number, { data: Uint8Array; at: number }>();
    private next = FIRST;
    memory: WebAssembly.Memory | null = null;

    private get view(): DataView {
        return new DataView(this.memory!.buffer);
    }

    private text(at: number): string {
        const all = new Uint8Array(this.memory!.buffer);
        return new TextDecoder().decode(all.slice(at, all.indexOf(0, at)));
    }

    private openFile(path: string): number {
        const data = this.named.get(path.replace(/^(\.?\/)+/, ""));
        if (data === undefined) {
            return NOT_FOUND;
        }
        this.open.set(this.next, { data, at: 0 });
        return this.next++;
    }

    readonly imports: Record<string, Import> = {
        webOpenFile: (path) => this.openFile(this.text(Number(path))),
        fd_close: (fd) => (this.open.delete(Number(fd)) ? 0 : BAD_FILE),
        fd_read: (fd, list, count, result) => {
            const file = this.open.get(Number(fd));
            if (file === undefined) {
                return BAD_FILE;
            }
            let total = 0;
            for (let k = 0; k < Number(count); k++) {
                const at = this.view.getUint32(Number(list) + 8 * k, true);
                const room = this.view.getUint32(Number(list) + 8 * k + 4, true);
                const part = file.data.subarray(file.at, file.at + room);
                new Uint8Array(this.memory!.buffer).set(part, at);
                file.at += part.length;
                total += part.length;
            }
            this.view.setUint32(Number(result), total, true);
            return 0;
        },
        // the offset is one 64-bit number, or two halves
        fd_seek: (fd, ...rest) => {
            const file = this.open.get(Number(fd));
            if (file === undefined) {
                return BAD_FILE;
            }
            const [whence, result] = rest.slice(-2).map(Number) as [number, number];
            const offset = Number(rest[0]) | 0;
            file.at = Math.max(0, (whence === 0 ? 0 : whence === 1 ? file.at : file.data.length) + offset);
            this.view.setBigUint64(result, BigInt(file.at), true);
            return 0;
        },
        fd_write: (_, list, count, result) => { // messages that nobody sees
            let total = 0;
            for (let k = 0; k < Number(count); k++) {
                total += this.view.getUint32(Number(list) + 8 * k + 4, true);
            }
            this.view.setUint32(Number(result), total, true);
            return 0;
        },
    };
}
