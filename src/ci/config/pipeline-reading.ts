import type { StoredRepository } from '#code/repositories/rows.ts'
import type { ChosenJobs } from './choose-jobs.ts'
import type { ConfiguredJob, ShownInclude } from './configuration.ts'
import type { ScopedValue } from './expand.ts'
import type { Problem } from './problems.ts'
import type { Json } from './values.ts'

/** The pipeline that a configuration is read for. */
export interface PipelineToRead {
  readonly project: { readonly id: number; readonly fullPath: string; readonly configPath: string | null }
  readonly repository: StoredRepository
  readonly sha: string
  /** Whose rights decide which files of other projects may be included. */
  readonly userId: number
  /** Read instead of the project's file. */
  readonly content?: string
  /** A branch or tag without a prefix. */
  readonly ref: string
  readonly isTag: boolean
  readonly source: string
  /** The commit that `changes` compares with; null where everything counts as changed. */
  readonly compareTo: string | null
  /** What the server says; what the instance, the groups and the project say; what the pipeline was started with. */
  readonly predefined: ReadonlyMap<string, ScopedValue>
  readonly kept: ReadonlyMap<string, ScopedValue>
  readonly given: ReadonlyMap<string, ScopedValue>
  readonly inputs: { readonly [name: string]: Json }
}

/** What was read of a configuration. */
export interface ReadPipeline {
  /** Whether there is a configuration at all. */
  readonly isThere: boolean
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
  readonly includes: readonly ShownInclude[]
  readonly merged: string | null
  readonly configured: readonly Pick<
    ConfiguredJob,
    'name' | 'stage' | 'when' | 'allowFailure' | 'options' | 'tags' | 'environment' | 'only' | 'except'
  >[]
  /** Null with errors. */
  readonly chosen: ChosenJobs | null
}
