import { presentUserBasic } from '#identity/users/basic.ts'
import { basics, filterUsers, userOrder, users } from '#identity/users/queries.ts'
import { paginate } from '#platform/http/pagination.ts'
import { userOrder as memberOrder, usersOf } from '#tenancy/projects/people.ts'
import { type Finder, forList } from './request.ts'

/** Users: all, or those with a role in a project or group. */
export const findUsers: Finder = async (req, reply) => {
  const { authorizedProject, authorizedGroup, viewer, site, server } = req
  const { search } = req.query
  const place = authorizedProject?.container ?? authorizedGroup?.container
  const asked = forList(req, {})
  const rows =
    place === undefined
      ? await paginate(asked, reply, basics(filterUsers(users(server.db), { search }, viewer)), userOrder)
      : await paginate(asked, reply, usersOf(server.db, place, viewer, { search }), memberOrder)
  return rows.map((row) => presentUserBasic(row, site))
}
