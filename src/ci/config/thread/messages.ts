import type { Configuration } from '../configuration.ts'
import type { ScopedValue } from '../expand.ts'
import type { FilteredPipeline } from '../filters.ts'
import type { IncludeAnswer, IncludeRequest } from '../includes.ts'
import type { Json } from '../values.ts'

// What the thread that reads configurations and the server tell each other. A thread reads one configuration at a time.

/** What a configuration is read with; for a pipeline, its jobs are chosen as well. */
export interface Reading {
  readonly kind: 'read'
  readonly text: string
  readonly file: string
  readonly tree: string
  readonly inputs: { readonly [name: string]: Json }
  readonly pipeline: FilteredPipeline
  readonly predefined: ReadonlyMap<string, ScopedValue>
  readonly kept: ReadonlyMap<string, ScopedValue>
  readonly given: ReadonlyMap<string, ScopedValue>
  /** Whether somebody wants to see all of it: the merged file, and its jobs whether they run or not. */
  readonly shows: boolean
}

/** What the thread asks of the repository and of other servers. */
export type Question =
  | { readonly about: 'files'; readonly requests: readonly IncludeRequest[] }
  | { readonly about: 'changed'; readonly compareTo: string | undefined }
  | { readonly about: 'existing'; readonly project: string | undefined; readonly ref: string | undefined }

export type Answer = readonly IncludeAnswer[] | string | null

export type ToThread = Reading | { readonly kind: 'answer'; readonly call: number; readonly answer: Answer }

export type FromThread =
  | { readonly kind: 'ask'; readonly call: number; readonly question: Question }
  /** What was read, as JSON: one text is quickly handed over. */
  | { readonly kind: 'read'; readonly json: string }
  | { readonly kind: 'failed'; readonly why: string }

/** A job as lint shows it. */
export type ShownJob = Pick<
  Configuration['jobs'][number],
  'name' | 'stage' | 'when' | 'allowFailure' | 'options' | 'tags' | 'environment' | 'needs'
> & { readonly only: Json; readonly except: Json }
