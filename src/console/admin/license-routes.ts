import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { License, ListedLicense } from '#administration/licenses/entity.ts'
import { licensedPlans } from '#administration/licenses/licensed-plans.ts'
import { type Html, html } from '#platform/http/html.ts'
import { nullable } from '#platform/http/schema.ts'
import { daysAfter } from '#platform/http/time.ts'
import { asks } from '../frame/action.ts'
import type { List } from '../frame/api.ts'
import type { Forms } from '../frame/forms.ts'
import { emptyList, otherPages, pageNumber } from '../frame/lists.ts'
import { facts } from '../items/facts.ts'
import { titled } from '../parts/words.ts'
import { withoutEmpty } from '../settings/common-fields.ts'
import { adminPage, Nothing } from './frame.ts'

const HERE = '/admin/license'

/** What a license holds of a plan, and how the instance gets one. */
export const licenseAdminPages: FastifyPluginAsyncTypebox = async (app) => {
  adminPage(app, '/license', 'License', {
    params: Nothing,
    querystring: Type.Object({ page: pageNumber }),
    async show({ api, query: { page }, forms, request }) {
      const [current, all] = await Promise.all([
        api.find(nullable(License), '/license'),
        api.findList(ListedLicense, '/licenses', { page }),
      ])
      return {
        title: 'License',
        body: html`<h1>License</h1>
          ${
            all === undefined
              ? emptyList('The hosted offering is licensed in other ways.')
              : html`${inForce(current ?? null)} ${getting(forms, request.viewer.today)}
                ${licenses(all, page, forms)}`
          }`,
      }
    },
    actions: () => ({
      issue: () =>
        withoutEmpty(
          asks({ method: 'POST', path: '/license/issue', says: 'The license is issued, and counts.' }),
          'expires_at',
          'users',
          'company',
        ),
      add: () => asks({ method: 'POST', path: '/license', says: 'The license is added.' }),
      delete: (id) =>
        asks({
          method: 'DELETE',
          path: `/license/${encodeURIComponent(id)}`,
          says: 'The license is deleted.',
        }),
    }),
  })
}

function inForce(license: Static<typeof License> | null): Html {
  if (license === null)
    return html`<p>The plan is <strong>Free</strong>: there is no license that has begun.</p>`
  const { plan, expired, expires_at, user_limit, active_users, overage, licensee } = license
  return html`<p>
      ${
        expired
          ? html`The plan is <strong>Free</strong>: the license for ${titled(plan)} ended on ${expires_at}.`
          : html`The plan is <strong>${titled(plan)}</strong> until ${daysAfter(expires_at, -1)}.`
      }
    </p>
    ${facts([
      ['Licensed to', html`${licensee.Company} (${licensee.Name}, ${licensee.Email})`],
      ['People with a seat', html`${active_users}${user_limit > 0 && ` of ${user_limit}`}`],
      ['More than licensed', overage > 0 ? html`${overage}` : undefined],
    ])}`
}

const getting = (forms: Forms, today: string): Html =>
  html`<h2>Issue one to this instance</h2>
    <p class="quiet">It costs nothing: the instance signs it with its own key.</p>
    ${forms.write({
      does: 'issue',
      submit: 'Issue',
      about: 'a license',
      fields: [
        {
          name: 'plan',
          label: 'Plan',
          is: 'choice',
          value: 'ultimate',
          options: licensedPlans.map((plan) => ({ value: plan, label: titled(plan) })),
        },
        {
          name: 'expires_at',
          label: 'Ends before',
          is: 'date',
          value: daysAfter(today, 365),
          hint: 'The first day on which it no longer counts.',
        },
        { name: 'users', label: 'People', is: 'number', value: 0, hint: '0: no limit.' },
        { name: 'company', label: 'Company', hint: 'Empty: your name.' },
      ],
    })}
    <h2>Add one that you have</h2>
    ${forms.write({
      does: 'add',
      submit: 'Add',
      about: 'the license',
      fields: [
        {
          name: 'license',
          label: 'Text of the license',
          hint: 'As it was given to you; line breaks do no harm.',
          is: 'lines',
          required: true,
        },
      ],
    })}`

const licenses = (all: List<Static<typeof ListedLicense>>, page: number, forms: Forms): Html =>
  html`<h2>All licenses</h2>
    ${
      all.items.length === 0
        ? emptyList('There is none yet.')
        : html`<ul class="rows">
            ${all.items.map((license) => html`<li>${licenseRow(license, forms)}</li>`)}
          </ul>`
    }
    ${otherPages(all, page, HERE, {})}`

function licenseRow(license: Static<typeof ListedLicense>, forms: Forms): Html {
  const { id, plan, starts_at, expires_at, expired, licensee, user_limit } = license
  return html`<div>
      <strong>${titled(plan)}</strong> ${expired && html`<span class="badge">ended</span>`}
      <p class="quiet">
        ${starts_at} to ${daysAfter(expires_at, -1)}, for ${licensee.Company},
        ${user_limit === 0 ? 'without a limit of people' : `for ${user_limit} people`}
      </p>
    </div>
    ${forms.write({
      does: `delete/${id}`,
      submit: 'Delete',
      about: `the license of ${licensee.Company} from ${starts_at}`,
      asks: 'The instance loses at once what no other license gives it.',
    })}`
}
