import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/database.ts'],
    setupFiles: ['test/setup.ts'],
    // One server and one database for each worker, shared by its files: see test/world.ts.
    isolate: false,
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 60_000,
  },
})
