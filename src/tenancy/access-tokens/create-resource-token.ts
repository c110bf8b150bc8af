import type { MemberLevel } from '#platform/access/roles.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { addMember } from '#tenancy/members/add-member.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { type BotTerms, makeBot } from '#identity/tokens/bots.ts'
import type { FreshToken } from '#identity/tokens/create-token.ts'
import type { TokenPolicy } from '#identity/tokens/expiry.ts'
import { issueToken, type TokenRequest } from '#identity/tokens/issue-token.ts'
import type { TokenContainer } from '#identity/tokens/resource.ts'

export interface ResourceTokenRequest extends TokenRequest {
  readonly access_level: MemberLevel
}

/**
 * Makes a token of a project or group, and the bot that acts for it. The bot is a member of the container, with the
 * token's level, for as long as the token lasts.
 * @throws 400 for an expiry that is not allowed and for no scopes, 404 when the project or group is gone.
 */
export async function createResourceToken(
  tx: Tx,
  container: TokenContainer,
  { access_level: accessLevel, ...request }: ResourceTokenRequest,
  policy: TokenPolicy,
  bot: Omit<BotTerms, 'name'>,
): Promise<FreshToken> {
  const { kind, namespace_id: namespaceId } = container
  await lockParent(tx, namespaceId)
  const userId = await makeBot(tx, container, { ...bot, name: request.name })
  const token = await issueToken(
    tx,
    kind,
    { id: userId, admin: false, kind: 'bot' as const },
    request,
    policy,
    {
      namespaceId,
      accessLevel,
    },
  )
  await addMember(tx, { namespaceId, userId, accessLevel, expiresAt: token.expires_at })
  return token
}
