import type { StoredRepository } from '#code/repositories/rows.ts'
import type { ChosenJobs } from './choose-jobs.ts'
import type { ShownInclude } from './configuration.ts'
import type { ShownJob } from './reader/shown-job.ts'
import type { ScopedValue } from './expand.ts'
import type { Problem } from './problems.ts'
import type { Json } from './values.ts'

/** The pipeline that a configuration is read for. */
export interface PipelineToRead {
  readonly project: { readonly id: number; readonly fullPath: string; readonly configPath: string | null }
  /** Null where nothing was ever pushed. */
  readonly tree: { readonly repository: StoredRepository; readonly sha: string } | null
  /** Whose rights decide which files of other projects may be included. */
  readonly userId: number
  /** Read instead of the project's file. */
  readonly content?: string
  /** The pipeline that starts this one as its child. */
  readonly parentId?: number
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
  /** Whether somebody wants to see all of it: the whole file, and its jobs whether they run or not. */
  readonly shows?: boolean
}

/** What was read of a configuration. */
export interface ReadPipeline {
  /** Whether there is a configuration at all. */
  readonly isThere: boolean
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
  readonly includes: readonly ShownInclude[]
  readonly merged: string | null
  /** The jobs of the file, where they were asked for. */
  readonly configured: readonly ShownJob[]
  /** Null with errors. */
  readonly chosen: ChosenJobs | null
}
