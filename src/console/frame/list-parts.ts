import type { Static, TSchema } from 'typebox'
import type { Html } from '#platform/http/html.ts'
import type { Api, List, Query } from './api.ts'
import { otherPages } from './lists.ts'

/** One page of a list that is shown with others. */
export interface ListPart<T> extends List<T> {
  /** Links to its other pages; undefined where it is the only one. */
  readonly others: Html | undefined
}

/** Several lists on one page, each with pages of its own: `?deploy_keys=2` is the second of one, beside the first of all others. */
export class ListParts<Name extends string> {
  readonly #api: Api
  readonly #here: string
  readonly #pages: Readonly<Record<Name, number>>

  /**
   * @param here the address of the page
   * @param pages which page of each list the address names
   */
  constructor(api: Api, here: string, pages: Readonly<Record<Name, number>>) {
    this.#api = api
    this.#here = here
    this.#pages = pages
  }

  /** @throws the refusal of the API */
  async list<S extends TSchema>(
    name: Name,
    item: S,
    address: string,
    query: Query = {},
  ): Promise<ListPart<Static<S>>> {
    return this.#part(name, await this.#api.list(item, address, { ...query, page: this.#pages[name] }))
  }

  /** The same; undefined where there is none. */
  async findList<S extends TSchema>(
    name: Name,
    item: S,
    address: string,
    query: Query = {},
  ): Promise<ListPart<Static<S>> | undefined> {
    const list = await this.#api.findList(item, address, { ...query, page: this.#pages[name] })
    return list && this.#part(name, list)
  }

  #part<T>(name: Name, list: List<T>): ListPart<T> {
    const pages = Object.entries<number>(this.#pages).map(([one, page]) => [
      one,
      page === 1 ? undefined : page,
    ])
    return {
      ...list,
      others: otherPages(list, this.#pages[name], this.#here, Object.fromEntries(pages), name),
    }
  }
}
