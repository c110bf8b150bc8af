import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { definitions, isSwitchName } from '#platform/feature-flags/definitions.ts'
import { FeatureDefinition, FeatureSwitch } from '#platform/feature-flags/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { asks } from '../frame/action.ts'
import type { Forms } from '../frame/forms.ts'
import { adminPage, Nothing } from './frame.ts'

/** Parts of the program that administrators switch on and off. */
export const featureFlagPages: FastifyPluginAsyncTypebox = async (app) => {
  adminPage(app, '/feature_flags', 'Feature flags', {
    params: Nothing,
    querystring: Type.Object({}),
    async show({ api, forms }) {
      const [known, set] = await Promise.all([
        api.list(FeatureDefinition, '/features/definitions'),
        api.list(FeatureSwitch, '/features'),
      ])
      const others = set.items.filter(({ name }) => !known.items.some((one) => one.name === name))
      return {
        title: 'Feature flags',
        body: html`<h1>Feature flags</h1>
          <p class="quiet">
            Parts of the program that are not for everybody yet. The API opens one for some people, groups or
            projects, too, or for a share of them. Every process follows within a second.
          </p>
          <ul class="rows">
            ${known.items.map((flag) => {
              const found = set.items.find(({ name }) => name === flag.name)
              return html`<li>${flagRow(flag.name, flag.default_enabled, found, forms)}</li>`
            })}
            ${others.map((flag) => html`<li>${flagRow(flag.name, undefined, flag, forms)}</li>`)}
          </ul>`,
      }
    },
    actions: () => {
      const one = (name: string) => `/features/${encodeURIComponent(name)}`
      const sets = (value: 'true' | 'false', says: string) => (name: string) =>
        asks({ method: 'POST', path: one(name), also: { value, force: true }, says })
      return {
        on: sets('true', 'The flag is on for everybody.'),
        off: sets('false', 'The flag is off for everybody.'),
        reset: (name) => asks({ method: 'DELETE', path: one(name), says: 'The flag is as usual.' }),
      }
    },
  })
}

/** @param standard whether it is on unless set; undefined for what this version does not know */
function flagRow(
  name: string,
  standard: boolean | undefined,
  set: Static<typeof FeatureSwitch> | undefined,
  forms: Forms,
): Html {
  const state = set?.state ?? (standard === true ? 'on' : 'off')
  const offer = (does: string, submit: string) =>
    forms.write({ does: `${does}/${name}`, submit, about: name, looks: 'secondary' })
  return html`<div>
      <strong><code>${name}</code></strong>
      ${isSwitchName(name) && html`<span class="badge">${definitions[name].type}</span>`}
      <p class="quiet">
        ${isSwitchName(name) ? definitions[name].about : 'This version knows no such flag.'}
        ${standard !== undefined && `Usually ${standard ? 'on' : 'off'}.`}
      </p>
      ${set !== undefined && gatesOf(set)}
    </div>
    <p class="aside"><span class="ci ${looks[state]}">${words[state]}</span></p>
    <div class="actions">
      ${state !== 'on' && offer('on', 'Turn on')} ${state !== 'off' && offer('off', 'Turn off')}
      ${set !== undefined && offer('reset', standard === undefined ? 'Forget' : 'As usual')}
    </div>`
}

const looks = { on: 'good', off: 'still', conditional: 'warns' } as const
const words = { on: 'on', off: 'off', conditional: 'on for some' } as const

/** For whom a flag is on that is on for some. */
function gatesOf({ state, gates }: Static<typeof FeatureSwitch>): Html | undefined {
  if (state !== 'conditional') return undefined
  const open = gates.filter(({ key }) => key !== 'boolean')
  return html`<p>
    ${open.map(({ key, value }) => `${key.replaceAll('_', ' ')}: ${[value].flat().join(', ')}`).join('; ')}
  </p>`
}
