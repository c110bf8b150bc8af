import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { WikiPage } from '#code/wikis/entity.ts'
import { formats } from '#code/wikis/formats.ts'
import { html } from '#platform/http/html.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { asks, makes } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import { ByContainer, OfContainer, projectsAndGroups } from '../frame/container.ts'
import type { Field } from '../frame/fields.ts'
import { formPage } from '../frame/form-page.ts'
import { rightsIn } from '../frame/rights.ts'
import { addressOfPage } from './page-list.ts'

const BySlug = Type.Object({ ...OfContainer, slug: text({ max: MAX_PATH }) })
const Filled = Type.Object({ title: Type.Optional(text({ max: 255 })) })

const names = { markdown: 'Markdown', rdoc: 'RDoc', asciidoc: 'AsciiDoc', org: 'Org' } as const

const fieldsOf = (page: Partial<Static<typeof WikiPage>>): readonly Field[] => [
  {
    name: 'title',
    label: 'Title',
    value: page.title,
    required: true,
    hint: 'Slashes make folders: guides/first steps.',
  },
  {
    name: 'content',
    label: 'Content',
    is: (page.format ?? 'markdown') === 'markdown' ? 'markup' : 'lines',
    value: page.content,
    attributes: html`class="source" rows="24"`,
  },
  {
    name: 'format',
    label: 'Format',
    is: 'choice',
    options: formats.map((value) => ({ value, label: names[value] })),
    value: page.format ?? 'markdown',
  },
]

const notForThem = html`<p class="empty">You may not write in this wiki.</p>`

/** Wiki pages that people write in the browser. */
export const wikiFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const { at, open } of projectsAndGroups) {
    formPage(app, `${at}/wikis/new`, {
      who: 'signed in',
      params: ByContainer,
      querystring: Filled,
      async show({ request, api, params, query, forms }) {
        const container = await open(api, request, params.container)
        const rights = await rightsIn(api, container.api)
        return {
          title: `New page · Wiki · ${container.title}`,
          place: container.header('Wiki'),
          body: html`<h1>New page</h1>
            ${
              rights.may('edit_wiki')
                ? forms.write({ does: 'create', submit: 'Save the page', fields: fieldsOf(query) })
                : notForThem
            }`,
        }
      },
      async actions({ request, api, params }) {
        const container = await open(api, request, params.container)
        const create = {
          method: 'POST',
          path: `${container.api}/wikis`,
          says: 'The page is there.',
        } as const
        return {
          create: () => makes(WikiPage, create, ({ slug }) => addressOfPage(container, slug)),
        }
      },
    })

    formPage(app, `${at}/wikis/:slug/edit`, {
      who: 'signed in',
      params: BySlug,
      querystring: Type.Object({}),
      async show({ request, api, params, forms }) {
        const container = await open(api, request, params.container)
        const [page, rights] = await Promise.all([
          api.get(WikiPage, container.api + path`/wikis/${params.slug}`),
          rightsIn(api, container.api),
        ])
        return {
          title: `Change ${page.title} · Wiki · ${container.title}`,
          place: container.header('Wiki'),
          body: html`<h1>Change ${page.title}</h1>
            ${
              rights.may('edit_wiki')
                ? html`${forms.write({
                    does: 'save',
                    submit: 'Save the page',
                    fields: fieldsOf(page),
                    seen: textsOf(page),
                  })}
                  ${forms.write({
                    does: 'delete',
                    submit: 'Delete',
                    about: 'the page',
                    asks: 'The page goes from the wiki. Its repository keeps the versions.',
                  })}`
                : notForThem
            }`,
        }
      },
      async actions({ request, api, params }) {
        const container = await open(api, request, params.container)
        const address = container.api + path`/wikis/${params.slug}`
        return {
          save: () =>
            makes(
              WikiPage,
              {
                method: 'PUT',
                path: address,
                says: 'The page is changed.',
                seen: async (asked) => ({ texts: textsOf(await asked.get(WikiPage, address)) }),
              },
              ({ slug }) => addressOfPage(container, slug),
            ),
          delete: () =>
            asks({
              method: 'DELETE',
              path: address,
              says: 'The page is deleted.',
              to: container.page('wikis/pages'),
            }),
        }
      },
    })
  }
}

const textsOf = ({ slug, content, format }: Static<typeof WikiPage>) => [slug, content, format]
