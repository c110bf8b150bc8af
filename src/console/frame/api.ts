import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { seeOther, signInUrl } from '#platform/http/browser-sessions.ts'
import { HttpError, type ErrorBody } from '#platform/http/errors.ts'
import { cleaned, type Html } from '#platform/http/html.ts'
import { askInside, type InnerAnswer, type InnerRequest } from '#platform/http/inner-requests.ts'
import { API } from '#platform/http/routing.ts'
import { markupReader } from '#planning/markup/reader.ts'
import { renderMarkdown } from '#planning/markup/render-markdown.ts'
import { renderTexts, type TextPlace } from '#planning/markup/render-texts.ts'

type Value = string | number | boolean | undefined

/** Parameters of a query; those that are undefined are left out. */
export type Query = Readonly<Record<string, Value>>

/** The methods that change something. */
export type Writing = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One page of a list, and where the list goes on. */
export interface List<T> {
  readonly items: readonly T[]
  /** How many there are in all; undefined where that is not counted. */
  readonly total: number | undefined
  /** The number of the next page; undefined on the last one. */
  readonly next: number | undefined
}

/** A path of the API, whose parts are encoded: path`/projects/${'group/project'}/issues`. */
export const path = (texts: TemplateStringsArray, ...parts: readonly (string | number)[]): string =>
  texts.map((text, index) => text + encodeURIComponent(parts[index] ?? '')).join('')

/** Nothing had to be done: it was so before. */
const AS_BEFORE = 304

/** Somebody else has changed it meanwhile. */
const OVERTAKEN = 412

/** Redirects that are followed: from the former path of a project or group to its id. */
const MOVES = 1

/**
 * What becomes of refusals. `for people` asks strangers to sign in, and takes what is not for those who are signed in as not there.
 * `for programs` tells all refusals. `without` goes without what is not for the visitor: for what a page shows besides.
 */
type Refusals = 'for people' | 'for programs' | 'without'

/** The names of the abilities that the project of a page came with, by its path in the API. */
const abilitiesOnPages = new WeakMap<FastifyRequest, ReadonlyMap<string, readonly string[]>>()

/**
 * The API as whoever visits a page may use it. A page asks for what it shows here, and for nothing elsewhere. Refusals are thrown as
 * pages show them.
 */
export class Api {
  readonly #page: FastifyRequest
  readonly #refusals: Refusals

  constructor(page: FastifyRequest, refusals: Refusals = 'for people') {
    this.#page = page
    this.#refusals = refusals
  }

  /** The same for what a page can do without. Nobody has to sign in for it. */
  get besides(): Api {
    return new Api(this.#page, 'without')
  }

  /** Whether the visitor is signed in. */
  get isForSomebody(): boolean {
    return this.#page.identity !== undefined
  }

  /** Keeps what the visitor may do in a project, for as long as the page changes nothing. */
  keepAbilities(address: string, names: readonly string[]): void {
    abilitiesOnPages.set(this.#page, new Map(abilitiesOnPages.get(this.#page)).set(address, names))
  }

  /** What was kept; undefined where it has to be asked for. */
  keptAbilities(address: string): readonly string[] | undefined {
    return abilitiesOnPages.get(this.#page)?.get(address)
  }

  /** @param schema what the route declares that it answers @throws the refusal of the API */
  async get<S extends TSchema>(schema: S, address: string, query: Query = {}): Promise<Static<S>> {
    return bodyIn(accepted(await this.#ask('GET', address, query)), schema)
  }

  /** The same; undefined for what is not there, or not for the visitor. */
  async find<S extends TSchema>(
    schema: S,
    address: string,
    query: Query = {},
  ): Promise<Static<S> | undefined> {
    const answer = await this.#ask('GET', address, query)
    return this.#isMissing(answer) ? undefined : bodyIn(accepted(answer), schema)
  }

  /**
   * One page of a list.
   * @param item what the route declares of each item
   * @param further parameters that are nested, or too long for a query
   * @throws the refusal of the API
   */
  async list<S extends TSchema>(
    item: S,
    address: string,
    query: Query = {},
    further: InnerRequest['body'] = {},
  ): Promise<List<Static<S>>> {
    return listIn(accepted(await this.#ask('GET', address, query, further)), item)
  }

  /** The same; undefined where there is none. */
  async findList<S extends TSchema>(
    item: S,
    address: string,
    query: Query = {},
  ): Promise<List<Static<S>> | undefined> {
    const answer = await this.#ask('GET', address, query)
    return this.#isMissing(answer) ? undefined : listIn(accepted(answer), item)
  }

  /** Does something whose answer does not matter. @throws the refusal of the API */
  async send(method: Writing, address: string, parameters: InnerRequest['body'] = {}): Promise<void> {
    await this.sendIfUnmodified(method, address, parameters, undefined)
  }

  /**
   * The same, unless it was changed after this moment, if there is one.
   * @returns whether it was done
   */
  async sendIfUnmodified(
    method: Writing,
    address: string,
    parameters: InnerRequest['body'],
    unmodifiedSince: string | undefined,
  ): Promise<boolean> {
    const further = unmodifiedSince === undefined ? {} : { unmodifiedSince }
    const answer = await this.#ask(method, address, {}, parameters, further)
    if (answer.status === OVERTAKEN && unmodifiedSince !== undefined) return false
    if (answer.status !== AS_BEFORE) accepted(answer)
    return true
  }

  /** The same, where the answer matters. @param schema what the route declares that it answers */
  async sendFor<S extends TSchema>(
    schema: S,
    method: Writing,
    address: string,
    parameters: InnerRequest['body'] = {},
  ): Promise<Static<S>> {
    return bodyIn(accepted(await this.#ask(method, address, {}, parameters)), schema)
  }

  /** A file as text; undefined for what is not there. @throws 413 for one that is too long for a page */
  async findText(address: string): Promise<string | undefined> {
    const answer = await this.#ask('GET', address, {})
    return this.#isMissing(answer) ? undefined : accepted(answer).text
  }

  /** The headers of what is there; undefined for what is not. */
  async findHead(address: string, query: Query = {}): Promise<InnerAnswer['headers'] | undefined> {
    const answer = await this.#ask('HEAD', address, query)
    return this.#isMissing(answer) ? undefined : accepted(answer).headers
  }

  /**
   * Texts of one place as HTML for the visitor, in the same order. What they refer to is a link where the visitor may see it.
   */
  async render(texts: readonly string[], place: TextPlace = {}): Promise<readonly Html[]> {
    const rendered = await renderTexts(markupReader(this.#page), texts, place)
    // What may scroll must be reached by keyboard.
    return rendered.map((one) => cleaned(one.replaceAll(/<(pre|table)>/g, '<$1 tabindex="0">')))
  }

  /** A text of the instance as HTML, the same for everybody: references stay text. It is rendered once, and asks for nothing. */
  async renderForAll(text: string): Promise<Html> {
    return cleaned(await renderMarkdown(text))
  }

  /** What is not there, and what the visitor may not see, is left out alike. */
  #isMissing({ status }: InnerAnswer): boolean {
    return (
      status === 404 ||
      (status === 403 && this.#refusals !== 'for programs') ||
      (status === 401 && this.#refusals === 'without')
    )
  }

  async #ask(
    method: string,
    address: string,
    query: Query,
    body: InnerRequest['body'] = {},
    further: Pick<InnerRequest, 'unmodifiedSince'> = {},
    moves = MOVES,
  ): Promise<InnerAnswer> {
    if (method !== 'GET') abilitiesOnPages.delete(this.#page)
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    )
    const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
    const answer = await askInside(this.#page, {
      method,
      path: `${API}${address}${search}`,
      body,
      ...further,
    })
    if (answer.status === 401 && this.#refusals === 'for people' && !this.isForSomebody)
      throw seeOther(signInUrl(this.#page))
    if (answer.status !== 301 || moves === 0) return answer
    const { pathname } = new URL(answer.headers.get('location') ?? '')
    return this.#ask(method, pathname.slice(API.length), query, body, further, moves - 1)
  }
}

/** The API answers with more text than a page shows at once. */
export class TooMuchForPage extends HttpError {}

/** A list that a page can do without; nothing where it says too much to be read at once. */
export async function unlessTooMuch<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof TooMuchForPage) return undefined
    throw error
  }
}

/** @throws the refusal that the API answered with */
function accepted(answer: InnerAnswer): InnerAnswer {
  if (answer.status < 300) return answer
  const { status, headers, text } = answer
  if (headers.get('content-type') !== 'application/json') throw new HttpError(status, text, retryIn(headers))
  const body: ErrorBody = JSON.parse(text)
  throw new (status === 413 ? TooMuchForPage : HttpError)(status, body, retryIn(headers))
}

/** When the visitor may come again. */
function retryIn(headers: InnerAnswer['headers']): Record<string, string> {
  const seconds = headers.get('retry-after')
  return seconds === undefined ? {} : { 'retry-after': seconds }
}

function bodyIn<S extends TSchema>({ schema, text }: InnerAnswer, expected: S): Static<S> {
  if (!isSame(schema, expected)) throw new Error('the API answers with another schema than the page expects')
  const body: Static<S> = JSON.parse(text)
  return body
}

function listIn<S extends TSchema>({ schema, text, headers }: InnerAnswer, item: S): List<Static<S>> {
  if (!isListOf(schema, item)) throw new Error('the API answers with another list than the page expects')
  const items: Static<S>[] = JSON.parse(text)
  return { items, total: numberIn(headers, 'x-total'), next: numberIn(headers, 'x-next-page') }
}

/** Some lists are of one of several kinds, which a parameter names. */
function isListOf(schema: unknown, item: TSchema): boolean {
  if (typeof schema !== 'object' || schema === null || !('items' in schema)) return false
  const { items } = schema
  if (typeof items !== 'object' || items === null || !('anyOf' in items)) return isSame(items, item)
  return Array.isArray(items.anyOf) && items.anyOf.some((kind) => isSame(kind, item))
}

/** Entities have names of their own; some are made anew for each route. */
const isSame = (schema: unknown, expected: TSchema): boolean =>
  schema === expected || (nameOf(schema) !== undefined && nameOf(schema) === nameOf(expected))

const nameOf = (schema: unknown): unknown =>
  typeof schema === 'object' && schema !== null && 'title' in schema ? schema.title : undefined

function numberIn(headers: InnerAnswer['headers'], name: string): number | undefined {
  const text = headers.get(name) ?? ''
  return text === '' ? undefined : Number(text)
}
