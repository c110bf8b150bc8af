import type { Static, TSchema } from 'typebox'
import type { Api, Writing } from './api.ts'

/** What a form asks of the API. Its fields are parameters of that route. */
interface Request {
  readonly method: Writing
  /** The path in the API. */
  readonly path: string
  /** Parameters that no field has. They win. */
  readonly also?: Readonly<Record<string, unknown>>
  /** What was done, in a sentence. */
  readonly says: string
  /** Where that is to be seen; the page of the form if it is missing. */
  readonly to?: string
}

/** What a form does. @throws the refusal of the API */
export type Action = (api: Api, parameters: Readonly<Record<string, unknown>>) => Promise<Done>

export interface Done {
  readonly says: string
  readonly to: string | undefined
}

/** Asks the API for something whose answer does not matter. */
export const asks =
  ({ method, path, also = {}, says, to }: Request): Action =>
  async (api, parameters) => {
    await api.send(method, path, { ...parameters, ...also })
    return { says, to }
  }

/** Asks the API to make something, and leads to it. @param schema what the route declares that it answers */
export const makes =
  <S extends TSchema>(
    schema: S,
    { method, path, also = {}, says }: Omit<Request, 'to'>,
    to: (made: Static<S>) => string,
  ): Action =>
  async (api, parameters) => {
    const made = await api.sendFor(schema, method, path, { ...parameters, ...also })
    return { says, to: to(made) }
  }
