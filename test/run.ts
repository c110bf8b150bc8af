import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { reportUnseen } from './refusals.ts'
import { Shelf } from './shelf.ts'
import { isWhole } from './tiers.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder of the run, which removes it at its end. */
    dataDir: string
    /** Where what servers answered is gathered: see answered.ts. */
    answers: string
    /** The port of what is made once: see once.ts. */
    shelf: number
  }
}

const needsDatabase = (file: string) => /\/(world|new-database)\.ts'/.test(readFileSync(file, 'utf8'))

/**
 * What a run of tests begins and ends with. It starts nothing that a test might not need: what is made once is made when
 * a test asks for it (`once.ts`), here if it has to live as long as the run, such as PostgreSQL.
 */
export default async function run(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'forgelet-test-'))
  await chmod(dataDir, 0o711)
  await using started = new AsyncDisposableStack()
  started.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }))
  const shelf = new Shelf({
    database: async () => {
      const { startDatabase } = await import('./postgresql.ts')
      const { server, stop } = await startDatabase(dataDir)
      ends.defer(stop)
      return server
    },
  })
  const answers = join(dataDir, 'answers')
  await writeFile(answers, '')
  project.provide('dataDir', dataDir)
  project.provide('answers', answers)
  project.provide('shelf', await shelf.open())
  started.defer(() => shelf.close())
  // It starts while the worker loads the program.
  if (project.config.include.some(needsDatabase)) shelf.prepare('database')
  const ends = started.move()
  return async () => {
    if (isWhole && project.config.mode === 'test') reportUnseen(answers)
    await ends.disposeAsync()
  }
}
