import { expect, it } from 'vitest'
import { currentBudget, onBehalfOf } from './caller.ts'
import { WorkBudget } from './work-budget.ts'

it('counts the time in which something works once, however much of it does', async () => {
  const budget = new WorkBudget({ milliseconds: 10_000, bytes: 10 })
  const began = performance.now()
  const ends = [budget.work(), budget.work()]
  await new Promise((resolve) => setTimeout(resolve, 20))
  for (const end of ends) end()
  const took = performance.now() - began
  const { left } = budget
  expect(10_000 - left).toBeGreaterThan(15)
  expect(10_000 - left).toBeLessThanOrEqual(took + 1)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(budget.left).toBe(left)
})

it('is one for a request, whatever the request starts, and another for the next one', async () => {
  const taken = async (bytes: number) => currentBudget()?.take(bytes)
  await onBehalfOf(
    () => 'user 1',
    async () => {
      expect(await Promise.all([taken(100 * 1024 * 1024), taken(1)])).toEqual([true, true])
      expect(await taken(100 * 1024 * 1024)).toBe(false)
    },
  )
  const next = onBehalfOf(
    () => 'user 1',
    () => taken(100 * 1024 * 1024),
  )
  expect([await next, await taken(1)]).toEqual([true, undefined])
})
