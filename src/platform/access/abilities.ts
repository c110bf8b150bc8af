import { ExtensionPoint } from '#platform/extension-point.ts'
import { readers, type Rule } from './access-context.ts'

/** The abilities of all features in projects. Each feature extends this interface in its `abilities.ts`. */
export interface ProjectAbilities {
  read_project: Rule
}

/** The abilities of all features in groups. */
export interface GroupAbilities {
  read_group: Rule
}

export type ProjectAbility = keyof ProjectAbilities
export type GroupAbility = keyof GroupAbilities

/**
 * A feature's policy: for each ability, the rule that says who has it. A route names one ability (route-access.ts),
 * and nothing else decides. Rules that need the object itself (an author edits their own note) live in the feature's
 * policy.ts.
 */
export interface Abilities {
  readonly project?: Readonly<Record<string, Rule>>
  readonly group?: Readonly<Record<string, Rule>>
}

/** For a feature's `abilities.ts`: the rules of the abilities that it adds to the interfaces above. */
export type RulesOf<Rules> = Readonly<Record<keyof Rules, Rule>>

/** The policies of all features. */
export const policies = new ExtensionPoint<Abilities>('the list of abilities')

const projectRules = policies.derive((all) =>
  rulesIn([{ read_project: readers }, ...all.map(({ project = {} }) => project)]),
)
const groupRules = policies.derive((all) =>
  rulesIn([{ read_group: readers }, ...all.map(({ group = {} }) => group)]),
)

/** @throws when two features add an ability of the same name. */
function rulesIn(all: readonly Readonly<Record<string, Rule>>[]): ReadonlyMap<string, Rule> {
  const rules = new Map<string, Rule>()
  for (const [name, rule] of all.flatMap((some) => Object.entries(some))) {
    if (rules.has(name) && rules.get(name) !== rule) throw new Error(`two features define ${name}`)
    rules.set(name, rule)
  }
  return rules
}

/** The rule of a project ability. */
export const projectRule = (ability: ProjectAbility): Rule => ruleOf(projectRules(), ability)

/** The rule of a group ability. */
export const groupRule = (ability: GroupAbility): Rule => ruleOf(groupRules(), ability)

function ruleOf(rules: ReadonlyMap<string, Rule>, ability: string): Rule {
  const rule = rules.get(ability)
  if (rule === undefined) throw new Error(`${ability} is an ability of no feature that app.ts has installed`)
  return rule
}

/** All abilities with their rules, by their names. */
export const allAbilities = () => ({
  project: Object.fromEntries(projectRules()),
  group: Object.fromEntries(groupRules()),
})
