// SPDX-License-Identifier: Apache-2.0
// Builds the page into the Python package. File names carry no hashes, so that a rebuild of the same source
// gives the same files and the test that compares them can say "the bundle is current".
import { defineConfig } from "vite";
import { pdfjsFiles } from "./build/pdfjs-files.ts";

export default defineConfig({
  base: "/",
  plugins: [pdfjsFiles()],
  build: {
    outDir: "../src/acromeld/review/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 8192,
    chunkSizeWarningLimit: 2000,
    rollupOptions: {
      output: {
        entryFileNames: "assets/[name].js",
        // What is not ours lies apart from what is.
        manualChunks: (id) => (id.includes("/pdfjs-dist/") ? "pdfjs" : undefined),
        chunkFileNames: (chunk) => (chunk.name === "pdfjs" ? "pdfjs/pdf.js" : "assets/[name].js"),
        assetFileNames: "assets/[name][extname]",
      },
    },
  },
});
