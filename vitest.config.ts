import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongFirst } from './test/order.ts'
import { PATIENCE } from './test/patience.ts'
import { temporaryFolder } from './test/temporary-folder.ts'
import { filesOf, isWhole, reportOf, tierOf } from './test/tiers.ts'

// Workers and the programs that tests start take these over.
process.env['TMPDIR'] = temporaryFolder()
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/forgelet')

export default defineConfig(({ mode }) => {
  const tier = tierOf(mode)
  if (tier === 'long') process.env['FORGELET_LONG_TESTS'] = '1'
  return {
    test: {
      include: filesOf(tier),
      // `npm run times` reads the report.
      reporters: isWhole ? ['default', ['json', { outputFile: reportOf(tier) }]] : ['default'],
      globalSetup: ['test/run.ts'],
      setupFiles: ['test/setup.ts'],
      // One server and one database for each worker, shared by its files: see test/world.ts.
      isolate: false,
      pool: 'forks',
      // A server and its clients make much that is short-lived: with room for it, less of it is looked at twice. All cores
      // are busy with tests: more threads for that only wait for each other.
      execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=64', '--single-threaded-gc'],
      // Node.js runs the sources as it does for users, without the detour through Vite, which rewrites every import.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      // A worker waits half of its time, for PostgreSQL, git and programs that it starts.
      maxWorkers: Math.max(2, Math.ceil(availableParallelism() * 1.5)),
      sequence: { sequencer: LongFirst },
      // The slowest take 18 seconds on two cores, and ten times as long on a busy machine.
      testTimeout: 180_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: PATIENCE } },
    },
  }
})
