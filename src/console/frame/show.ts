import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Html } from '#platform/http/html.ts'
import { islands } from '../islands/scripts.ts'
import { sendPage } from '#platform/pages/page.ts'

/** What a page of the console shows. */
export interface View {
  readonly title: string
  readonly body: Html
  /** The header of the project or group that it is about. */
  readonly place?: Html
  /** The menu of the account stands beside it. */
  readonly ofAccount?: true
  /** The islands that it has, if they ask the API for something. */
  readonly scripts?: readonly string[]
  readonly asks?: true
  /** The address of a feed of what it shows. */
  readonly feed?: string
}

/**
 * The islands of a page follow from its markup. `asks` are those that ask the server. They are found by plain words: a page may be long,
 * and an expression would take a millisecond for each.
 */
const helpers = [
  { for: 'data-language="', script: islands.highlight, asks: false },
  { for: 'class="language-', script: islands.highlight, asks: false },
  { for: 'data-tasks="', script: islands.tasks, asks: true },
  { for: '<time datetime="', script: islands.times, asks: false },
  { for: 'data-viewed="', script: islands.viewed, asks: false },
  { for: 'data-code="', script: islands.editor, asks: false },
  { for: 'data-people="', script: islands.people, asks: true },
  { for: 'data-markup>', script: islands.writing, asks: true },
  { for: 'data-markup>', script: islands.completing, asks: true },
] as const

/** Sends a page, with the navigation of whoever visits it. */
export function show(request: FastifyRequest, reply: FastifyReply, view: View): Promise<FastifyReply> {
  const helping = helpers.filter((one) => view.body.text.includes(one.for))
  return sendPage(request, reply, {
    ...view,
    ...(helping.some(({ asks }) => asks) && { asks: true }),
    scripts: [...(view.scripts ?? []), ...new Set(helping.map(({ script }) => script))],
    ...(view.ofAccount !== true && { wide: true }),
  })
}
