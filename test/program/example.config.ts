import { defineConfig } from 'vitest/config'

// For the example of docs/testing.md, which is run as in a project of somebody else: without our set-up.
export default defineConfig({
  test: { include: ['test/program/example-of-the-docs.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
})
