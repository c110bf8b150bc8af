import { expect, test } from 'vitest'
import { isLong } from '#test/long.ts'
import { collideAll, type Verb } from '#test/conflicts.ts'
import { unique } from '#test/world.ts'
import { keeperOf, licensed, pathOf, protect, say } from './protected-environments/test-support.ts'
import { deployedProject, deploymentOf, environmentOf } from './test-support.ts'

// What happens to one environment and to what is deployed there, at the same moment.

type Ground = Awaited<ReturnType<typeof newGround>>

/** An environment with one deployment that runs and one that waits for an approval, which the owner may give. */
async function newGround() {
  const place = await deployedProject()
  const environment = await environmentOf(place, { name: 'review/one' })
  const running = await deploymentOf(place, { environment: environment.name })
  const protection = await protect(keeperOf(place), pathOf('project', place), {
    name: environment.name,
    deploy_access_levels: [{ access_level: 30 }],
    approval_rules: [{ access_level: 40 }],
  })
  const told = { environment: environment.name, sha: 'main', ref: 'main', tag: false, status: 'running' }
  const waiting = await licensed(place.developer).post(place.deployments, told)
  expect(waiting.body.status).toBe('blocked')
  return {
    place,
    environment: environment.path as string,
    running: running.path as string,
    waiting: `${place.deployments}/${waiting.body.id}`,
    protection: pathOf('project', place, protection.name),
    told,
    by: licensed(place.maintainer),
    owner: licensed(place.owner),
  }
}

const verbs: Readonly<Record<string, (ground: Ground) => Verb>> = {
  'tell of another deployment':
    ({ by, place, told }) =>
    () =>
      by.post(place.deployments, told),
  'finish a deployment':
    ({ by, running }) =>
    () =>
      by.put(running, { status: 'success' }),
  'delete a deployment':
    ({ by, running }) =>
    () =>
      by.delete(running),
  'approve a deployment':
    ({ owner, waiting }) =>
    () =>
      say(owner, waiting),
  'reject a deployment':
    ({ by, waiting }) =>
    () =>
      say(by, waiting, 'rejected'),
  'change the environment':
    ({ by, environment }) =>
    () =>
      by.put(environment, { tier: 'production', description: unique('description') }),
  'stop the environment':
    ({ by, environment }) =>
    () =>
      by.post(`${environment}/stop`),
  'delete the environment':
    ({ by, environment }) =>
    () =>
      by.delete(environment),
  'delete review apps':
    ({ by, place }) =>
    () =>
      by.delete(`${place.environments}/review_apps?dry_run=false&before=2090-01-01`),
  'change the protection':
    ({ by, protection }) =>
    () =>
      by.put(protection, { approval_rules: [{ access_level: 60 }] }),
  'end the protection':
    ({ by, protection }) =>
    () =>
      by.delete(protection),
  'delete the project':
    ({ place, owner }) =>
    () =>
      owner.delete(place.base),
}

/** Each begins with another one; many in `npm run test:long`. */
const ROUNDS = isLong ? 50 : 2

test('whatever happens to an environment at one moment, no answer is a 5xx, and nothing waits in a circle', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const ground = await newGround()
    if (round % 2 === 0) await ground.by.post(`${ground.environment}/stop`)
    const names = Object.keys(verbs).filter((name) => name !== 'delete the project')
    const order = [...names.slice(round % names.length), ...names.slice(0, round % names.length)]
    const answers = await collideAll(
      [...order, ...order].flatMap((name) => verbs[name]?.(ground) ?? []),
    ).catch((error: unknown) => {
      throw new Error(`round ${round}: ${order.join(', ')}`, { cause: error })
    })
    expect(answers).toHaveLength(2 * order.length)
  }
}, 300_000)

test('the end of a project meets all of them', async () => {
  const ground = await newGround()
  await collideAll(Object.values(verbs).map((verb) => verb(ground)))
  expect((await ground.place.owner.get(ground.place.base)).status).toBe(404)
}, 180_000)
