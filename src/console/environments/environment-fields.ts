import type { Static } from 'typebox'
import type { Environment } from '#delivery/environments/entity.ts'
import { tiers } from '#delivery/environments/tier.ts'
import type { Field } from '../frame/fields.ts'
import { titled } from '../parts/words.ts'

type Known = Pick<Static<typeof Environment>, 'external_url' | 'tier' | 'description'>

/** What can be said of an environment. The tier of a new one is what its name says. */
export const environmentFields = (environment?: Known): readonly Field[] => [
  {
    name: 'external_url',
    label: 'Address',
    hint: 'Where it is to be seen.',
    value: environment?.external_url,
  },
  ...(environment === undefined ? [] : [tierField(environment)]),
  {
    name: 'description',
    label: 'Description',
    is: 'markup',
    hint: 'Markdown.',
    value: environment?.description,
  },
]

const tierField = ({ tier }: Known): Field => ({
  name: 'tier',
  label: 'Tier',
  is: 'choice',
  value: tier,
  options: tiers.map((one) => ({ value: one, label: titled(one) })),
})
