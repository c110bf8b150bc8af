import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { Registry, Upstream } from '#registries/virtual-registries/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { type GroupDetail, groupHeader } from '../frame/group.ts'
import { emptyList } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import type { Forms } from '../frame/forms.ts'
import { rightsIn } from '../frame/rights.ts'
import { newRegistry, registryForms, upstreamForms } from './virtual-registry-forms.ts'
import type { View } from '../frame/show.ts'

/** Addresses by which a group pulls images of other registries, and which registries those are. */
export async function virtualRegistries(api: Api, forms: Forms, group: GroupDetail): Promise<View> {
  const address = path`/groups/${group.id}/-/virtual_registries/container`
  const [rights, registries, upstreams] = await Promise.all([
    rightsIn(api, path`/groups/${group.id}`),
    api.list(Registry, `${address}/registries`),
    api.list(Upstream, `${address}/upstreams`),
  ])
  const may = rights.may('admin_virtual_registry')
  const host = new URL(group.web_url).host
  return {
    title: `Virtual registries · ${group.full_name}`,
    place: groupHeader(group, 'Images'),
    body: html`<h1>Virtual registries</h1>
      ${
        registries.items.length === 0
          ? emptyList('There is no virtual registry. One pulls images of other registries, and keeps them.')
          : html`<ul class="rows">
              ${registries.items.map((one) => html`<li>${registryRow(host, one)} ${may && registryForms(forms, one)}</li>`)}
            </ul>`
      }
      ${may && newRegistry(forms)}
      <h2>Upstreams</h2>
      ${
        upstreams.items.length === 0
          ? emptyList('There is no upstream.')
          : html`<ul class="rows">
              ${upstreams.items.map((one) => html`<li>${upstreamRow(one)} ${may && upstreamForms(forms, one)}</li>`)}
            </ul>`
      }`,
  }
}

const registryRow = (host: string, { id, name, description, created_at }: Static<typeof Registry>): Html =>
  html`<div>
      <strong>${name}</strong> ${description ?? undefined}
      <p class="quiet"><code>docker pull ${host}/virtual_registries/container/${id}/IMAGE</code></p>
    </div>
    <p class="quiet aside">${since(created_at)}</p>`

const upstreamRow = ({ name, url, description, created_at }: Static<typeof Upstream>): Html =>
  html`<div>
      <strong>${name}</strong> <code>${url}</code>
      ${description !== null && html`<p class="quiet">${description}</p>`}
    </div>
    <p class="quiet aside">${since(created_at)}</p>`
