import { defineConfig } from "vitest/config";

// Files one after the other: the machine's cores are for the browser and the native runs.
export default defineConfig({ test: { include: ["test/*.test.ts"], fileParallelism: false, testTimeout: 120_000, hookTimeout: 120_000 } });
