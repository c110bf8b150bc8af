import type { Html } from '#platform/http/html.ts'
import { conflict } from '#platform/refusals.ts'
import type { Static, TSchema } from 'typebox'
import type { Api, Writing } from './api.ts'
import { seenOf } from './forms.ts'

/** What a form asks of the API. Its fields are parameters of that route. */
interface Request {
  readonly method: Writing
  /** The path in the API. */
  readonly path: string
  /** Parameters that no field has. They win. */
  readonly also?: Readonly<Record<string, unknown>>
  /** What was done, in a sentence. */
  readonly says: string
  /** The texts that it changes, as they are now. If they are others than the form showed, nothing is changed. */
  readonly seen?: (api: Api) => Promise<readonly unknown[]>
  /** Where that is to be seen; the page of the form if it is missing. */
  readonly to?: string
}

/** What a form does. @throws the refusal of the API */
export type Action = (api: Api, parameters: Readonly<Record<string, unknown>>, seen?: string) => Promise<Done>

export interface Done {
  readonly says: string
  readonly to: string | undefined
  /** What only this answer shows, above the page: a secret. Nobody is led on then. */
  readonly shows?: Html
}

/** Asks the API for something whose answer does not matter. */
export const asks =
  ({ method, path, also = {}, says, to, seen: now }: Request): Action =>
  async (api, parameters, seen) => {
    await assertSeen(api, now, seen)
    await api.send(method, path, { ...parameters, ...also })
    return { says, to }
  }

/** Asks the API to make something, and leads to it. @param schema what the route declares that it answers */
export const makes =
  <S extends TSchema>(
    schema: S,
    { method, path, also = {}, says, seen: now }: Omit<Request, 'to'>,
    to: (made: Static<S>) => string,
  ): Action =>
  async (api, parameters, seen) => {
    await assertSeen(api, now, seen)
    const made = await api.sendFor(schema, method, path, { ...parameters, ...also })
    return { says, to: to(made) }
  }

async function assertSeen(api: Api, now: Request['seen'], seen: string | undefined): Promise<void> {
  if (now !== undefined && seen !== undefined && seenOf(await now(api)) !== seen) throw changedMeanwhile()
}

const changedMeanwhile = () =>
  conflict(
    '409 Conflict - somebody else changed this meanwhile. What you typed is below. Look at theirs in another window; if you save now, yours takes its place.',
  )
