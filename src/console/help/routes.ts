import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { notFound } from '#platform/refusals.ts'
import { Api } from '../frame/api.ts'
import { searchField } from '../frame/list-page.ts'
import { emptyList } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { allGuides, readGuide } from './guides.ts'

const ByName = Type.Object({ name: text() })
const Filter = Type.Object({ search: Type.Optional(text()) })

/** The guides inside the product. */
export const helpRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  app.get('/help', { config, schema: { querystring: Filter } }, async (req, reply) => {
    const { search = '' } = req.query
    const words = search.toLowerCase()
    const guides = (await allGuides()).filter(({ title }) => title.toLowerCase().includes(words))
    const body = html`<h1>Help</h1>
      <p><a href="/-/docs">API reference</a>: every endpoint with its parameters and answers.</p>
      ${searchField('Words in titles', '/help', search)}
      ${
        guides.length === 0
          ? emptyList('No guide has such a title.')
          : html`<ul class="names">
              ${guides.map(({ name, title }) => html`<li><a href="/help/${name}">${title}</a></li>`)}
            </ul>`
      }`
    return show(req, reply, { title: 'Help', body })
  })

  app.get('/help/:name', { config, schema: { params: ByName } }, async (req, reply) => {
    const { name } = req.params
    const guide = await readGuide(name)
    if (guide === undefined) throw notFound()
    const [rendered] = await new Api(req).render([guide])
    const title = (await allGuides()).find((one) => one.name === name)?.title ?? name
    const body = html`<p><a href="/help">Help</a></p>
      <article class="text">${rendered}</article>`
    return show(req, reply, { title, body })
  })
}
