// Parts of a page that were packed when it was built: gzip, in base 85, in a <script type="text/plain">.
declare global {
    interface Window {
        pbdrDecode: (text: string) => Uint8Array<ArrayBuffer>; // the page's first script has it (web/build.mjs)
    }
}

export async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The part of that id, or null where the page has none.
export async function unpack(id: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const node = document.getElementById(id);
    return node === null ? null : inflate(window.pbdrDecode(node.textContent ?? ""));
}
