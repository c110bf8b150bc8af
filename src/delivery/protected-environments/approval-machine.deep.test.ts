import { beforeAll, expect, test } from 'vitest'
import fc from 'fast-check'
import { sql } from 'kysely'
import { giveSample } from '#test/repositories.ts'
import { type Place, unique, w } from '#test/world.ts'
import { deployed, joined, keeperOf, licensed, pathOf, protect, say } from './test-support.ts'

// Whatever people say, gain and lose while a deployment waits: it does what a model of the rules does, in a few lines.

/** Few in the suite; more with this variable. */
const runs = Number(process.env['APPROVAL_RUNS'] ?? 8)

/** The first one deploys, the second one is named by a rule. */
const PEOPLE = 4
const DEPLOYER = 0
const NAMED = 1

type Opinion = 'approved' | 'rejected'

type Step =
  | { readonly do: 'say'; readonly who: number; readonly what: Opinion; readonly as: number | undefined }
  | { readonly do: 'level'; readonly who: number; readonly level: number }
  | { readonly do: 'require'; readonly count: number }
  | { readonly do: 'allow own'; readonly allowed: boolean }
  | { readonly do: 'run' }

const who = fc.nat({ max: PEOPLE - 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      who,
      what: fc.constant<Opinion>('approved'),
      as: fc.constantFrom(undefined, undefined, 0, 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      who,
      what: fc.constant<Opinion>('rejected'),
      as: fc.constant(undefined),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('level' as const),
      who,
      level: fc.constantFrom(0, 20, 30, 40, 40),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('require' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('allow own' as const), allowed: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('run' as const) }) },
)

/** What the rules of protected environments make of a deployment. */
class Model {
  status = 'blocked'
  readonly levels = [40, 40, 40, 40]
  /** How many Maintainers must approve, and how often the one who is named. */
  readonly required = [2, 1]
  mayApproveOwn = false
  /** By rule and person. */
  readonly said = [new Map<number, Opinion>(), new Map<number, Opinion>()]

  #means = (rule: number, person: number) =>
    rule === 0 ? this.#level(person) >= 40 : person === NAMED && this.#level(person) >= 20
  #level = (person: number) => this.levels[person] ?? 0

  get pending(): number {
    if (this.status !== 'blocked') return 0
    return this.#lacking
  }

  get #lacking(): number {
    return this.said.reduce((sum, said, rule) => {
      const counted = [...said].filter(
        ([person, what]) =>
          what === 'approved' && this.#means(rule, person) && (person !== DEPLOYER || this.mayApproveOwn),
      )
      return sum + Math.max(0, (this.required[rule] ?? 0) - counted.length)
    }, 0)
  }

  /** @returns the status of the answer */
  say({ who: person, what, as }: Extract<Step, { do: 'say' }>): number {
    if (this.#level(person) < 20) return 404
    if (this.status !== 'blocked') return 400
    const mine = [0, 1].filter((rule) => this.#means(rule, person) && (as === undefined || rule === as))
    const [rule] = mine
    if (rule === undefined) return as === undefined ? 403 : 400
    if (what === 'approved' && person === DEPLOYER && !this.mayApproveOwn) return 403
    if (this.said[rule]?.get(person) === what) return 201
    this.said[rule]?.set(person, what)
    if (what === 'rejected') this.status = 'failed'
    else if (this.#lacking === 0) this.status = 'created'
    return 201
  }

  run(): number {
    if (this.#level(DEPLOYER) < 20) return 404
    if (this.#level(DEPLOYER) < 30) return 403
    const free = this.status === 'created' || (this.status === 'blocked' && this.#lacking === 0)
    if (!free) return 400
    this.status = 'running'
    return 200
  }
}

let project: Place & { namespaceId: number }
let people: Awaited<ReturnType<typeof joined>>[]
beforeAll(async () => {
  project = await w.project()
  await giveSample(project)
  people = await Promise.all(Array.from({ length: PEOPLE }, () => joined(project.namespaceId, 40)))
})

const personAt = (at: number) => {
  const found = people[at]
  if (found === undefined) throw new Error(`There is no person ${at}`)
  return found
}

async function setLevel(person: number, level: number): Promise<void> {
  const { id } = personAt(person)
  const there = { namespace_id: project.namespaceId, user_id: id }
  if (level === 0) {
    await w.db
      .deleteFrom('members')
      .where('namespace_id', '=', there.namespace_id)
      .where('user_id', '=', id)
      .execute()
    return
  }
  const now = w.clock.now().toISOString()
  await w.db
    .insertInto('members')
    .values({ ...there, access_level: level, created_at: now, updated_at: now })
    .onConflict((oc) => oc.columns(['namespace_id', 'user_id']).doUpdateSet({ access_level: level }))
    .execute()
}

const allowOwn = (allowed: boolean) =>
  sql`update projects set settings = settings || ${JSON.stringify({
    allow_pipeline_trigger_approve_deployment: allowed,
  })}::jsonb where id = ${project.id}`.execute(w.db)

test('a deployment that waits does as the model does', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const model = new Model()
      for (const [person, level] of model.levels.entries()) await setLevel(person, level)
      await allowOwn(false)
      const name = unique('machine')
      const { approval_rules: rules } = await protect(keeperOf(project), pathOf('project', project), {
        name,
        deploy_access_levels: [{ access_level: 30 }],
        approval_rules: [
          { access_level: 40, required_approvals: model.required[0] },
          { user_id: personAt(NAMED).id },
        ],
      })
      const path = await deployed(personAt(DEPLOYER).by, project, name)
      for (const one of steps) {
        await take(one, model, { name, path, rules })
        const { body } = await licensed(project.owner).get(path)
        expect({ ...one, status: body.status, pending: body.pending_approval_count }).toEqual({
          ...one,
          status: model.status,
          pending: model.pending,
        })
      }
    }),
    { numRuns: runs },
  )
})

interface Ground {
  readonly name: string
  readonly path: string
  readonly rules: readonly { readonly id: number; readonly access_level_description: string }[]
}

/** Takes a step in the world and in the model, which must be answered alike. */
async function take(one: Step, model: Model, { name, path, rules }: Ground): Promise<void> {
  if (one.do === 'say') {
    const represented =
      one.as === undefined ? {} : { represented_as: rules[one.as]?.access_level_description }
    const { status } = await say(personAt(one.who).by, path, one.what, represented)
    expect({ ...one, status }).toEqual({ ...one, status: model.say(one) })
  } else if (one.do === 'level') {
    await setLevel(one.who, one.level)
    model.levels[one.who] = one.level
  } else if (one.do === 'require') {
    const changed = [{ id: rules[0]?.id, required_approvals: one.count }]
    await keeperOf(project).put(pathOf('project', project, name), { approval_rules: changed })
    model.required[0] = one.count
  } else if (one.do === 'allow own') {
    await allowOwn(one.allowed)
    model.mayApproveOwn = one.allowed
  } else {
    const { status } = await personAt(DEPLOYER).by.put(path, { status: 'running' })
    expect({ ...one, status }).toEqual({ ...one, status: model.run() })
  }
}
