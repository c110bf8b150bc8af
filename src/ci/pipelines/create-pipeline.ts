import type { Db } from '#platform/db/pool.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import type { SealedColumn } from '#platform/key-ring/key-ring.ts'
import { keyRing } from '#platform/key-ring/key-ring.ts'
import { transact } from '#platform/db/transaction.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import { invalid } from '#platform/refusals.ts'
import { type Content, insertPipeline, type SealedVariable } from './insert-pipeline.ts'
import type { GivenVariable, NewPipeline } from './new-pipeline.ts'
import { type PreparedPipeline, preparePipeline } from './prepare-pipeline.ts'

/** How a pipeline is made. */
interface Making {
  /** Nothing shall run, because the person said so with the push. */
  readonly skips?: boolean
  /** Keeps a failed pipeline that shows what is wrong with the configuration, instead of refusing. */
  readonly keepsErrors?: boolean
}

/**
 * Makes a pipeline of the configuration at a commit, with its jobs, and starts what can start.
 * @returns its id; that of the earlier one where one of the same origin is there
 * @throws 400 `{base: […]}` where there is no configuration, it is wrong, no job is wanted, or a variable's key is no name
 */
export async function createPipeline(
  services: JobServices,
  wanted: NewPipeline,
  { skips = false, keepsErrors = false }: Making = {},
): Promise<number> {
  const given = wanted.variables ?? []
  if (!given.every(({ key }) => NAME_OF_VARIABLE.test(key)))
    throw invalid({ base: ["Keys of variables can contain only letters, digits and '_', 255 at most"] })
  const prepared = await preparePipeline(services, wanted, { skips })
  const content = contentOf(prepared, keepsErrors)
  const variables = await sealAll(services, prepared.wanted.variables ?? [])
  return transact(services, { author: prepared.author, ip: null }, (tx) =>
    insertPipeline(tx, prepared, content, variables),
  )
}

function contentOf({ read }: PreparedPipeline, keepsErrors: boolean): Content {
  if (read === undefined) return { skipped: true }
  if (!read.isThere) throw invalid({ base: ['Missing CI config file'] })
  const { chosen } = read
  const errors = read.errors.map(({ text }) => text)
  const all = errors.length === 0 ? (chosen?.errors ?? []) : errors
  if (chosen === null || all.length > 0) {
    if (keepsErrors && chosen?.filtered !== true) return { yamlErrors: all.join(', ') }
    throw invalid({ base: [...all] })
  }
  const { onNewCommit, onJobFailure } = chosen.autoCancel
  return {
    jobs: chosen.jobs,
    name: chosen.name,
    ...(onNewCommit !== undefined && { onNewCommit }),
    ...(onJobFailure !== undefined && { onJobFailure }),
  }
}

const NAME = 'pipeline variable'
const NAME_OF_VARIABLE = /^\w{1,255}$/

/** Values that pipelines were started with. */
export const sealedPipelineVariables: SealedColumn = {
  table: 'pipeline_variables',
  column: 'value',
  name: NAME,
}

interface Sealing {
  readonly db: Db
  readonly secrets: Secrets
}

const sealAll = (services: Sealing, variables: readonly GivenVariable[]): Promise<SealedVariable[]> =>
  Promise.all(
    [...new Map(variables.map((one) => [one.key, one])).values()].map(
      async ({ key, value, variable_type = 'env_var', raw = false }) => ({
        key,
        value: await keyRing(services).seal(NAME, value),
        variable_type,
        raw,
      }),
    ),
  )

/** Reads a value that a pipeline was started with. */
export const openPipelineVariable = (services: Sealing, sealed: Buffer): Promise<string> =>
  keyRing(services).open(NAME, sealed)
