// Copies the files that pages load from the installed packages to static/vendor: these and no others are served.
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { basename } from "node:path";

const FILES = {
  yasqe: ["@zazuko/yasqe/build/yasqe.min.js", "@zazuko/yasqe/build/yasqe.min.css", "@zazuko/yasqe/package.json"],
  d3: ["d3/dist/d3.min.js", "d3/LICENSE"],
  plot: ["@observablehq/plot/dist/plot.umd.min.js", "@observablehq/plot/LICENSE"],
};
const packages = new URL("node_modules/", import.meta.url);
const target = new URL("static/vendor/", import.meta.url);

rmSync(target, { recursive: true, force: true });
for (const [folder, files] of Object.entries(FILES)) {
  const place = new URL(`${folder}/`, target);
  mkdirSync(place, { recursive: true });
  for (const file of files) cpSync(new URL(file, packages), new URL(basename(file), place));
}
