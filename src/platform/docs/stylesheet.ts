/** The one stylesheet of the reference page: light and dark, from phones to wide screens. */
export const stylesheet = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1f2328, #e6e8eb);
  --quiet: light-dark(#57606a, #9aa4af);
  --page: light-dark(#ffffff, #14171b);
  --raised: light-dark(#f6f7f9, #1c2026);
  --line: light-dark(#d8dce1, #323941);
  --link: light-dark(#0b5cad, #7cb7ff);
  --get: light-dark(#0b5cad, #7cb7ff);
  --post: light-dark(#1a6e37, #6bd28a);
  --put: light-dark(#8a4b00, #f0b35e);
  --delete: light-dark(#b3261e, #ff9a90);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body {
  margin: 0;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.55 system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif;
}
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
code, pre { font-family: var(--mono); font-size: .875em; }
small, .quiet { color: var(--quiet); }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; z-index: 2; padding: .5rem 1rem; background: var(--page); }
header {
  position: sticky; top: 0; z-index: 1;
  display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: 0 1rem;
  padding: .6rem 1.5rem; background: var(--page); border-bottom: 1px solid var(--line);
}
.brand { margin: 0; font-weight: 650; }
.brand a { color: inherit; text-decoration: none; }
form { display: flex; align-items: center; gap: .5rem; }
input, button { font: inherit; padding: .2rem .6rem; border: 1px solid var(--line); border-radius: 6px; }
input { width: 16rem; max-width: 45vw; background: var(--raised); color: var(--text); }
button { background: var(--raised); color: var(--text); cursor: pointer; }
.brand .quiet { font-weight: 400; }
.columns { display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
nav {
  position: sticky; top: 3rem; align-self: start; max-height: calc(100vh - 3rem); overflow: auto;
  padding: 1rem 1rem 2rem 1.5rem; border-right: 1px solid var(--line); font-size: .9rem;
}
nav ul { list-style: none; margin: .1rem 0 .6rem; padding: 0; }
nav > ul > li > a { font-weight: 600; }
nav [aria-current] { background: var(--raised); }
nav .plain { margin-top: .8rem; padding-top: .6rem; border-top: 1px solid var(--line); }
nav li a, .lines a { display: flex; gap: .5rem; padding: .25rem .4rem; border-radius: 4px; color: inherit; text-decoration: none; }
nav li a:hover, .lines a:hover { background: var(--raised); }
.lines { list-style: none; margin: .5rem 0; padding: 0; }
li:target { background: var(--raised); }
nav li small, .lines small { display: block; font-family: var(--mono); font-size: .75rem; overflow-wrap: anywhere; }
main { padding: 1.5rem clamp(1rem, 4vw, 3rem) 6rem; max-width: 68rem; }
main > p { max-width: 46rem; }
h1 { margin: .3rem 0 1rem; font-size: 2rem; line-height: 1.2; letter-spacing: -.015em; }
h2 { margin: 3rem 0 .5rem; padding-bottom: .35rem; border-bottom: 1px solid var(--line); font-size: 1.4rem; }
h4 { margin: 1.5rem 0 .4rem; font-size: 1rem; }
.endpoint { margin: .6rem 0; border: 1px solid var(--line); border-radius: 8px; }
.endpoint > summary { padding: .65rem .9rem; cursor: pointer; border-radius: 8px; }
.endpoint > summary:hover { background: var(--raised); }
.endpoint[open] > summary { border-bottom: 1px solid var(--line); border-radius: 8px 8px 0 0; }
.endpoint h3 { display: inline; margin: 0; font-size: .95rem; font-weight: 500; }
.endpoint:has(> :target) { border-color: var(--link); }
.endpoint h3 code { font-weight: 600; overflow-wrap: anywhere; }
.endpoint .summary { margin-left: .5rem; color: var(--quiet); font-weight: 400; }
.endpoint .body { scroll-margin-top: 7rem; padding: .3rem 1rem 1rem; }
.method { flex: none; display: inline-block; min-width: 3.9rem; font: 700 .75rem/1.55rem var(--mono); }
nav .method { min-width: 3.2rem; font-size: .7rem; }
.get { color: var(--get); }
.post { color: var(--post); }
.put, .patch { color: var(--put); }
.delete { color: var(--delete); }
.mark {
  display: inline-block; padding: 0 .45rem; border: 1px solid currentColor; border-radius: 1rem;
  color: var(--quiet); font-size: .75rem; font-weight: 500;
}
.mark.deprecated { color: var(--put); }
.status { font-family: var(--mono); }
.table { overflow-x: auto; margin: 1rem 0; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
caption { padding: .2rem 0; text-align: left; font-size: 1rem; font-weight: 650; }
th, td { padding: .4rem .8rem .4rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--quiet); font-weight: 500; }
tbody th { font-weight: 400; width: 30%; }
tbody th code { font-weight: 600; overflow-wrap: anywhere; }
td:nth-child(2) { width: 22%; }
pre { margin: 0; padding: .8rem 1rem; overflow-x: auto; border-radius: 6px; background: var(--raised); line-height: 1.6; }
dt { margin-top: .7rem; font-weight: 600; }
dd { margin: 0; }
dt:target { background: var(--raised); }
@media (max-width: 60rem) {
  .columns { display: block; }
  header { padding: .6rem 1rem; }
  nav { position: static; max-height: 45vh; padding: .5rem 1rem; border: 0; border-bottom: 1px solid var(--line); }
  nav > ul > li > a { padding: .5rem .4rem; }
  .endpoint .summary { display: block; margin: .2rem 0 0; }
}
@media (max-width: 36rem) {
  thead { display: none; }
  tbody tr { display: block; padding: .5rem 0; border-top: 1px solid var(--line); }
  tbody th, td, td:nth-child(2) { display: block; width: auto; padding: .1rem 0; border: 0; }
  td:nth-child(2) { color: var(--quiet); }
}
`
