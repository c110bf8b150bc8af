import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { reads, writes } from '#platform/access/route-access.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { attach, presentAttachment } from './attach.ts'
import {
  ListedWikiPage,
  presentChange,
  presentPage,
  WikiAttachment,
  WikiPage,
  WikiPageChange,
} from './entity.ts'
import { findWikiPage } from './find-page.ts'
import { lastChange } from './page-change.ts'
import {
  ByPage,
  ChangeOptions,
  ListOptions,
  NewAttachment,
  NewPage,
  PageChanges,
  PageOptions,
} from './parameters.ts'
import { showPage } from './read-page.ts'
import { idsOfPages } from './rows.ts'
import { sendList } from './send-list.ts'
import { groupWikis } from './tier.ts'
import { commitOf, pageNotFound, surroundingsOf, type Wiki, wikiOf } from './wiki.ts'
import { createPage, deletePage, updatePage, type WrittenPage } from './write-page.ts'

/** Wikis of projects and groups. */
export const wikiRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  const present = async ({ namespaceId }: Wiki, { page, text }: WrittenPage) => {
    const ids = await idsOfPages(db, namespaceId, [page.slug])
    return presentPage(page, ids.get(page.slug) ?? null, text)
  }

  for (const place of projectsAndGroups) {
    const { kind, subject } = place
    const path = `/${kind}s/:id/wikis` as const
    const area = kind === 'group' ? { tier: groupWikis } : {}
    const reading = reads(subject('read_wiki'), { ...area, anonymous: true })
    const writing = writes(subject('edit_wiki'), area)

    app.get(
      path,
      {
        config: reading,
        schema: {
          summary: `List the wiki pages of a ${kind}`,
          description: 'In the order of their paths: all of them, unless you ask for a page of the list.',
          params: ById,
          querystring: ListOptions,
          response: { 200: Type.Array(ListedWikiPage) },
        },
      },
      (req, reply) => sendList(req, reply, wikiOf(req, place)),
    )

    app.get(
      `${path}/:slug`,
      {
        config: reading,
        schema: {
          summary: `Get a wiki page of a ${kind}`,
          params: ByPage,
          querystring: PageOptions,
          response: { 200: WikiPage },
        },
      },
      async (req) => {
        const { version, render_html } = req.query
        const wiki = wikiOf(req, place)
        const at = await commitOf(req, wiki, version)
        if (at === undefined) throw pageNotFound()
        const page = await findWikiPage(at.repository, at.commit, req.params.slug)
        if (page === undefined) throw pageNotFound()
        const text = await showPage(at.repository, page, render_html ? surroundingsOf(req, wiki) : undefined)
        return present(wiki, { page, text })
      },
    )

    app.get(
      `${path}/:slug/diff`,
      {
        config: reading,
        schema: {
          summary: `Get the last change of a wiki page of a ${kind}`,
          description: "Forgelet's own. Also of a page that is gone.",
          params: ByPage,
          querystring: ChangeOptions,
          response: { 200: WikiPageChange },
        },
      },
      async (req) => {
        const at = await commitOf(req, wikiOf(req, place), req.query.version)
        const change = at && (await lastChange(at, req.params.slug))
        if (change === undefined) throw pageNotFound()
        return presentChange(change)
      },
    )

    app.post(
      path,
      {
        config: writing,
        schema: {
          summary: `Create a wiki page of a ${kind}`,
          params: ById,
          body: NewPage,
          response: { 201: WikiPage },
        },
      },
      async (req) => {
        const wiki = wikiOf(req, place)
        return present(wiki, await createPage(req, wiki, req.body))
      },
    )

    app.put(
      `${path}/:slug`,
      {
        config: writing,
        schema: {
          summary: `Change a wiki page of a ${kind}`,
          description: 'Another title moves the page. It keeps its `wiki_page_meta_id`, and so its notes.',
          params: ByPage,
          body: PageChanges,
          response: { 200: WikiPage },
        },
      },
      async (req) => {
        const wiki = wikiOf(req, place)
        return present(wiki, await updatePage(req, wiki, req.params.slug, req.body))
      },
    )

    app.delete(
      `${path}/:slug`,
      {
        config: writing,
        schema: {
          summary: `Delete a wiki page of a ${kind}`,
          params: ByPage,
          response: { 204: NoContent },
        },
      },
      async (req) => {
        await deletePage(req, wikiOf(req, place), req.params.slug)
      },
    )

    app.post(
      `${path}/attachments`,
      {
        config: writing,
        schema: {
          summary: `Upload an attachment to the wiki of a ${kind}`,
          description: "The file is committed to the wiki's repository, below `uploads`.",
          params: ById,
          body: NewAttachment,
          response: { 201: WikiAttachment },
        },
      },
      async (req) => {
        const { file, branch } = req.body
        const attached = await attach(req, wikiOf(req, place), file, branch)
        return presentAttachment(attached)
      },
    )
  }
}
