import type { Html } from '#platform/http/html.ts'
import { conflict } from '#platform/refusals.ts'
import type { Static, TSchema } from 'typebox'
import type { Api, Writing } from './api.ts'
import { seenOf } from './forms.ts'

/** What a form changes, as it is now. */
export interface Seen {
  /** The texts that the form showed: if they are others now, nothing is changed. */
  readonly texts: readonly unknown[]
  /** When what has them was changed last, where the route takes `If-Unmodified-Since`. */
  readonly updatedAt?: string
}

/** How often something is read again that others change at the same moment. */
const TRIES = 5

/** What a form asks of the API. Its fields are parameters of that route. */
interface Request {
  readonly method: Writing
  /** The path in the API. */
  readonly path: string
  /** Parameters that no field has. They win. */
  readonly also?: Readonly<Record<string, unknown>>
  /** What was done, in a sentence. */
  readonly says: string
  readonly seen?: (api: Api) => Promise<Seen>
  /** Where that is to be seen; the page of the form if it is missing. */
  readonly to?: string
}

/** What whoever sent a form saw of what it changes. */
export interface Sight {
  /** What stands for the texts that the form showed. */
  readonly texts?: string | undefined
  /** When what it changes was changed last, as far as they know it. */
  readonly updatedAt?: string | undefined
}

/**
 * What a form does.
 * @returns false if others have changed it after they saw it
 * @throws the refusal of the API
 */
export type Action = (
  api: Api,
  parameters: Readonly<Record<string, unknown>>,
  seen?: Sight,
) => Promise<Done | false>

export interface Done {
  readonly says: string
  readonly to: string | undefined
  /** What only this answer shows, above the page: a secret. Nobody is led on then. */
  readonly shows?: Html
}

/** Asks the API for something whose answer does not matter. */
export const asks =
  ({ method, path, also = {}, says, to, seen: now }: Request): Action =>
  async (api, parameters, { texts, updatedAt } = {}) => {
    const sent = { ...parameters, ...also }
    const done = { says, to }
    if (now === undefined || texts === undefined)
      return (await api.sendIfUnmodified(method, path, sent, updatedAt)) && done
    await untilUnmodified(
      () => readSeen(api, now, texts),
      (one) => api.sendIfUnmodified(method, path, sent, one.updatedAt),
    )
    return done
  }

/** Asks the API to make something, and leads to it. @param schema what the route declares that it answers */
export const makes =
  <S extends TSchema>(
    schema: S,
    { method, path, also = {}, says, seen: now }: Omit<Request, 'to'>,
    to: (made: Static<S>) => string,
  ): Action =>
  async (api, parameters, { texts } = {}) => {
    if (now !== undefined && texts !== undefined) await readSeen(api, now, texts)
    const made = await api.sendFor(schema, method, path, { ...parameters, ...also })
    return { says, to: to(made) }
  }

/**
 * Reads something and changes it as it was read: what others changed in between is read again, so that nobody's change is lost.
 * @param change answers false if somebody had changed it
 * @returns what it answers otherwise
 * @throws 409 when others change it all the time
 */
export async function untilUnmodified<T, Done>(
  read: () => Promise<T>,
  change: (one: T) => Promise<Done | false>,
): Promise<Done> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const done = await change(await read())
    if (done !== false) return done
  }
  throw conflict('409 Conflict - others change this right now. Try again.')
}

/** @throws 409 if it is not what the form showed */
async function readSeen(api: Api, now: (api: Api) => Promise<Seen>, seen: string): Promise<Seen> {
  const one = await now(api)
  if (seenOf(one.texts) !== seen) throw changedMeanwhile()
  return one
}

/** What somebody changed is not what they saw any more. */
export const changedMeanwhile = () =>
  conflict(
    '409 Conflict - somebody else changed this meanwhile. What you typed is below. Look at theirs in another window; if you save now, yours takes its place.',
  )
