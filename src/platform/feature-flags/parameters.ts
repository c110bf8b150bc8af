import { Type } from 'typebox'
import { refusedParameter } from '#platform/http/later.ts'
import { flag, integerOr, list, MAX_PATH, oneOf, rules, text } from '#platform/http/schema.ts'
import { featureGroups } from './actors.ts'
import { definitions, switchNames } from './definitions.ts'

export const BySwitch = Type.Object({
  name: text({
    max: 255,
    filled: true,
    description: switchNames.map((name) => `\`${name}\`: ${definitions[name].about}`).join(' '),
  }),
})

const nameList = (description: string) =>
  Type.Optional(list(text({ max: MAX_PATH }), { comma: true, description }))

const noGates = 'there are no gates for these yet'
const none = Type.Optional(text(refusedParameter(noGates)))
/** Actors that a flag cannot be turned on for yet. */
export const unsupportedGates = { organization: noGates, runner: noGates, endpoint: noGates } as const

const some = {
  user: nameList('Usernames.'),
  feature_group: nameList(
    `Names of feature groups: ${[...featureGroups.keys()].map((name) => `\`${name}\``).join(', ')}; others open the flag for nobody.`,
  ),
  group: nameList('Full paths of groups.'),
  namespace: nameList('Full paths of groups, or usernames for personal namespaces.'),
  project: nameList('Full paths of projects.'),
  repository: nameList('Full paths of projects that end in `.git`.'),
  organization: none,
  runner: none,
  endpoint: none,
}

export const SwitchSetting = Type.Object(
  {
    value: integerOr(['true', 'false'], {
      minimum: 0,
      maximum: 100,
      description: 'On (`true`, 100), off (`false`, 0), or a percentage.',
    }),
    key: Type.Optional(
      oneOf(['percentage_of_actors', 'percentage_of_time'], {
        description: 'What a percentage counts; `percentage_of_time` by default.',
      }),
    ),
    ...some,
    force: flag({ description: 'Accepts names of flags that this version does not know.', default: false }),
  },
  rules({ excludes: { key: Object.keys(some) } }),
)
