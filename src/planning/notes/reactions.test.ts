import { describe, expect, test } from 'vitest'
import { bodies, withIssue } from './test-support.ts'

describe('a body that is only an emoji', () => {
  test.each([':thumbsup:', ' :+1: \n', '👍', '👍\uFE0F'])(
    '%j becomes a reaction: 201 with it',
    async (body) => {
      const p = await withIssue()
      const { status, body: award } = await p.guest.post(p.path, { body })
      expect({ status, award }).toMatchObject({
        status: 201,
        award: {
          id: expect.any(Number),
          name: 'thumbsup',
          user: { id: p.guest.id },
          awardable_id: p.issue.id,
          awardable_type: 'Issue',
        },
      })
      expect(award).not.toHaveProperty('body')
      expect(bodies(await p.guest.get(p.path))).toEqual([])
      const issue = p.path.replace(/\/notes$/, '')
      expect((await p.guest.get(issue)).body).toMatchObject({ upvotes: 1, user_notes_count: 0 })
      expect((await p.guest.get(`${issue}/award_emoji/${award.id}`)).body).toEqual(award)
    },
  )

  test('cannot be given twice', async () => {
    const p = await withIssue()
    await p.guest.post(p.path, { body: ':tada:' })
    expect(await p.guest.post(p.path, { body: ':tada:' })).toMatchObject({
      status: 404,
      body: { message: '404 Award Emoji Name has already been taken Not Found' },
    })
  })

  test.each([':nothing-known:', ':tada: :tada:', 'yes :tada:', '1'])('%j stays a note', async (body) => {
    const p = await withIssue()
    expect((await p.guest.post(p.path, { body })).body).toMatchObject({ body, noteable_type: 'Issue' })
  })

  test('stays a note in a discussion', async () => {
    const p = await withIssue()
    const discussions = p.path.replace(/notes$/, 'discussions')
    const { body } = await p.guest.post(discussions, { body: ':tada:' })
    expect(body.notes).toMatchObject([{ body: ':tada:' }])
  })
})
