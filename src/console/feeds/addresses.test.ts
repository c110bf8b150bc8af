import { expect, test } from 'vitest'
import { feedUrl } from './addresses.ts'

test.each([
  ['/a/b.atom?feed_token=x', '/-/feeds/named/a%2Fb?feed_token=x'],
  ['/a.atom', '/-/feeds/named/a'],
  ['/groups/a/b.atom', '/-/feeds/group/a%2Fb'],
  ['/a/b/-/issues.atom', '/-/feeds/project/a%2Fb/issues'],
  ['/a/b/-/issues?format=atom&state=all', '/-/feeds/project/a%2Fb/issues?state=all'],
  ['/a/b/-/merge_requests.atom', '/-/feeds/project/a%2Fb/merge_requests'],
  ['/a/b/-/tags?format=atom', '/-/feeds/project/a%2Fb/tags'],
  ['/a/b/-/commits/main?format=atom', '/-/feeds/project/a%2Fb/commits/main'],
  ['/a/b/-/commits/main?x=1&format=atom', '/-/feeds/project/a%2Fb/commits/main?x=1'],
  ['/a/b/-/commits/main.atom', '/-/feeds/project/a%2Fb/commits/main'],
  ['/a/b/-/commits/fix/one?format=atom', '/-/feeds/project/a%2Fb/commits/fix%2Fone'],
  ['/a/b/-/releases?format=atom', '/api/v4/projects/a%2Fb/releases.atom'],
  ['/groups/a/-/issues.atom', '/-/feeds/group/a/issues'],
  ['/dashboard/projects.atom?feed_token=x', '/-/feeds/dashboard/projects?feed_token=x'],
])('%s is %s', (address, route) => expect(feedUrl(address, 'GET')).toBe(route))

test.each([
  '/a/b',
  '/a/b?format=atom1',
  '/a/b/-/commits/main/feed.atom',
  '/a/b/-/raw/main/feed.atom',
  '/a/b/-/blob/main/feed.atom',
  '/a/b/-/unknown.atom',
  '/a/b/-/issues/1.atom',
  '/api/v4/projects/1/releases.atom',
  '/dashboard/todos.atom',
  '/groups/a/-/tags.atom',
  '/.atom',
  '/-/x.atom',
  `/${'a/'.repeat(9_000)}.atom`,
])('%.40s is no feed', (address) => expect(feedUrl(address, 'GET')).toBe(address))

test('only what is read is a feed', () => expect(feedUrl('/a/b.atom', 'POST')).toBe('/a/b.atom'))
