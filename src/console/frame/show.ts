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
  /** The islands that it has, if they ask the API for something. */
  readonly scripts?: readonly string[]
  readonly asks?: true
  /** The address of a feed of what it shows. */
  readonly feed?: string
}

/** Code is colored where there is some. */
const scriptsFor = ({ body }: View): readonly string[] =>
  /data-language=|class="language-/.test(body.text) ? [islands.highlight] : []

/** Sends a page, with the navigation of whoever visits it. */
export const show = (request: FastifyRequest, reply: FastifyReply, view: View): Promise<FastifyReply> =>
  sendPage(request, reply, { ...view, scripts: [...(view.scripts ?? []), ...scriptsFor(view)], wide: true })
