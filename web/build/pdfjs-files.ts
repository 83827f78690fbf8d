// SPDX-License-Identifier: Apache-2.0
// Copies what pdf.js loads at run time (its worker, fonts, character maps, image decoders) and the licences of
// everything bundled, so that the preview works without any request to the outside.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const ROOT = join(import.meta.dirname, "..", "node_modules");
const PDFJS = join(ROOT, "pdfjs-dist");
const FOLDERS = ["cmaps", "standard_fonts", "iccs"];
const DECODERS = /\.wasm$|^LICENSE/;

function licences(): string {
  const parts = ["preact", "pdfjs-dist"].map((name) => {
    const about = JSON.parse(readFileSync(join(ROOT, name, "package.json"), "utf-8")) as { version: string; license: string };
    const text = readFileSync(join(ROOT, name, "LICENSE"), "utf-8");
    return `${name} ${about.version} (${about.license})\n\n${text}`;
  });
  const rest = "Fonts, character maps and decoders of pdf.js have their licences beside them in pdfjs/.\n";
  return [...parts, rest].join(`\n${"-".repeat(80)}\n\n`);
}

export function pdfjsFiles(): Plugin {
  return {
    name: "pdfjs-files",
    apply: "build",
    generateBundle() {
      const emit = (from: string, to: string): void => {
        this.emitFile({ type: "asset", fileName: to, source: readFileSync(from) });
      };
      emit(join(PDFJS, "build", "pdf.worker.min.mjs"), "pdfjs/pdf.worker.min.mjs");
      for (const folder of FOLDERS) {
        for (const name of readdirSync(join(PDFJS, folder))) emit(join(PDFJS, folder, name), `pdfjs/${folder}/${name}`);
      }
      for (const name of readdirSync(join(PDFJS, "wasm"))) {
        if (DECODERS.test(name)) emit(join(PDFJS, "wasm", name), `pdfjs/wasm/${name}`);
      }
      this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: licences() });
    },
  };
}
