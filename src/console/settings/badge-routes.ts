import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { Badge } from '#tenancy/badges/entity.ts'
import { asks } from '../frame/action.ts'
import { OfContainer, projectsAndGroups } from '../frame/container.ts'
import type { Field } from '../frame/fields.ts'
import { formPage } from '../frame/form-page.ts'
import { otherPages, pageNumber } from '../frame/lists.ts'
import { rightsIn } from '../frame/rights.ts'
import { badgeLink } from '../parts/badges.ts'
import { emptyAsNull } from './common-fields.ts'
import { section } from './sections.ts'

const HERE = 'settings/badges'

/** Badges of projects and groups. */
export const badgePages: FastifyPluginAsyncTypebox = async (app) => {
  for (const { at, open } of projectsAndGroups)
    formPage(app, `${at}/${HERE}`, {
      who: 'signed in',
      params: Type.Object(OfContainer),
      querystring: Type.Object({ page: pageNumber }),
      async show({ request, api, params, query: { page }, forms }) {
        const container = await open(api, request, params.container)
        const [rights, list] = await Promise.all([
          rightsIn(api, container.api),
          api.list(Badge, `${container.api}/badges`, { page }),
        ])
        if (!rights.may('admin_badge')) throw notFound()
        return {
          title: `Badges · ${container.title}`,
          place: container.header('Badges'),
          body: html`<h1>Badges</h1>
            ${section({
              title:
                container.kind === 'project'
                  ? 'On the page of the project'
                  : 'On the pages of the group and of its projects',
              about:
                'Small pictures with links: how a pipeline went, which release is the latest. Pages show the pictures of this server; of others, the name.',
              rows: list.items.map(
                (badge) =>
                  html`<div>
                      ${badgeLink(badge, request.site)}
                      ${badge.kind !== container.kind && html`<span class="quiet">of a group</span>`}
                      <p class="quiet"><code>${badge.image_url}</code></p>
                    </div>
                    ${
                      badge.kind === container.kind &&
                      html`${forms.write({
                        does: `save/${badge.id}`,
                        opens: 'Change…',
                        submit: 'Save',
                        about: badge.name ?? badge.link_url,
                        changes: true,
                        fields: fieldsOf(badge),
                      })}
                      ${forms.write({
                        does: `delete/${badge.id}`,
                        submit: 'Delete',
                        about: badge.name ?? badge.link_url,
                        asks: 'It vanishes from all pages.',
                      })}`
                    }`,
              ),
              none: 'There is no badge.',
              add: forms.write({
                does: 'add',
                submit: 'Add the badge',
                opens: 'Add a badge…',
                fields: fieldsOf(undefined),
              }),
            })}
            ${otherPages(list, page, container.page(HERE), {})}`,
        }
      },
      async actions({ request, api, params }) {
        const container = await open(api, request, params.container)
        const badges = `${container.api}/badges`
        const one = (id: string) => `${badges}/${encodeURIComponent(id)}`
        return {
          add: () => emptyAsNull(asks({ method: 'POST', path: badges, says: 'The badge is added.' }), 'name'),
          save: (id) =>
            emptyAsNull(asks({ method: 'PUT', path: one(id), says: 'The badge is changed.' }), 'name'),
          delete: (id) => asks({ method: 'DELETE', path: one(id), says: 'The badge is deleted.' }),
        }
      },
    })
}

const PLACEHOLDERS = 'May hold %{project_path}, %{default_branch}, %{commit_sha} and %{latest_tag}.'

const fieldsOf = (badge: Static<typeof Badge> | undefined): readonly Field[] => [
  { name: 'name', label: 'Name', value: badge?.name },
  { name: 'link_url', label: 'Leads to', value: badge?.link_url, required: true, hint: PLACEHOLDERS },
  {
    name: 'image_url',
    label: 'Address of the picture',
    value: badge?.image_url,
    required: true,
    hint: PLACEHOLDERS,
  },
]
