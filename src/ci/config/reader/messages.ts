import type { ScopedValue } from '../expand.ts'
import type { IncludeAnswer, IncludeRequest } from '../includes.ts'
import type { Paths } from '../conditions.ts'
import type { Json } from '../values.ts'

/** What a reader is to read. */
export interface Order {
  readonly text: string
  /** What the file is called, and where its own local includes are looked for. */
  readonly file: string
  readonly tree: string
  readonly inputs: { readonly [name: string]: Json }
  readonly ref: string
  readonly isTag: boolean
  readonly source: string
  readonly projectPath: string
  readonly predefined: ReadonlyMap<string, ScopedValue>
  readonly kept: ReadonlyMap<string, ScopedValue>
  readonly given: ReadonlyMap<string, ScopedValue>
  /** Whether the jobs of the file and its text with all includes are wanted, for people who look at it. */
  readonly shows: boolean
}

/** What a reader asks of the server while it reads. */
export type Question =
  | { readonly kind: 'files'; readonly requests: readonly IncludeRequest[] }
  /** Paths of all files that a local include may mean. */
  | { readonly kind: 'tree'; readonly tree: string }
  | { readonly kind: 'changed'; readonly compareTo: string | undefined }
  | { readonly kind: 'existing'; readonly project: string | undefined; readonly ref: string | undefined }

export type Reply =
  | { readonly files: readonly IncludeAnswer[] }
  | { readonly paths: Paths | null }
  /** Ends the reading: an error in the configuration. */
  | { readonly error: string }
  /** Ends the reading: the server has no answer, and says why elsewhere. */
  | { readonly abandoned: true }

export type ToReader = { readonly order: Order } | { readonly to: number; readonly reply: Reply }

export type FromReader =
  | { readonly number: number; readonly question: Question }
  /** See packed.ts. */
  | { readonly done: string }
  /** A mistake of this program. */
  | { readonly failed: string }

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Both ends are of one program, so a look at the names is enough. */
export const isToReader = (value: unknown): value is ToReader =>
  isObject(value) && ('order' in value || 'reply' in value)
export const isFromReader = (value: unknown): value is FromReader =>
  isObject(value) && ('question' in value || 'done' in value || 'failed' in value)
