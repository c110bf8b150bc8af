import { type Static, type TObject, Type } from 'typebox'
import type { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import type { Html } from '#platform/http/html.ts'
import { integer } from '#platform/http/schema.ts'
import type { Visit } from '../frame/form-page.ts'
import { TalkQuery } from '../items/talk.ts'
import { DiffQuery, type DiffView } from '../repository/diffs.ts'
import { type Chosen, ChosenQuery } from './chosen-lines.ts'

/** The parts of the page of a merge request, with how their addresses end. */
export const tabs = { Overview: '', Commits: '/commits', Pipelines: '/pipelines', Changes: '/diffs' } as const
export type Tab = keyof typeof tabs

/** Somebody at one of these parts. */
export const MergeRequestQuery = Type.Object({
  ...TalkQuery.properties,
  ...DiffQuery,
  ...ChosenQuery,
  version: Type.Optional(integer({ minimum: 1 })),
})
export type MergeRequestVisit = Visit<TObject, typeof MergeRequestQuery>

/** What of a merge request an address shows. */
export interface Place extends DiffView, Chosen {
  readonly address: string
  readonly page: number
  readonly note?: number | undefined
}

/** A part of the page, as soon as the merge request is known. */
export type Part = (request: Static<typeof MergeRequestSingle>) => Html | Promise<Html>
