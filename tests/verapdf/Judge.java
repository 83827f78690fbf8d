// SPDX-License-Identifier: Apache-2.0
// Judges PDF files by veraPDF: one JSON line for each profile and file, with the rules that failed.
// Usage: java Judge ua1,ua2 FILE...

import java.io.File;
import java.io.FileInputStream;
import java.io.InputStream;
import java.util.Map;
import java.util.TreeMap;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;
import org.verapdf.pdfa.validation.profiles.RuleId;

public final class Judge {
    private Judge() {}

    public static void main(String[] arguments) throws Exception {
        VeraGreenfieldFoundryProvider.initialise();
        for (int number = 1; number < arguments.length; number++) {
            for (String profile : arguments[0].split(",")) {
                System.out.println(verdict(profile, new File(arguments[number])));
            }
        }
    }

    private static String verdict(String profile, File file) throws Exception {
        PDFAFlavour flavour = PDFAFlavour.byFlavourId(profile);
        try (InputStream data = new FileInputStream(file);
                PDFAParser parser = Foundries.defaultInstance().createParser(data, flavour);
                PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, false)) {
            return line(profile, file, validator.validate(parser));
        }
    }

    private static String line(String profile, File file, ValidationResult result) {
        StringBuilder rules = new StringBuilder();
        for (Map.Entry<String, Integer> rule : failures(result).entrySet()) {
            rules.append(rules.length() > 0 ? "," : "").append(quoted(rule.getKey())).append(":").append(rule.getValue());
        }
        return "{\"profile\":" + quoted(profile) + ",\"file\":" + quoted(file.getPath())
                + ",\"checks\":" + result.getTotalAssertions() + ",\"failed\":{" + rules + "}}";
    }

    private static Map<String, Integer> failures(ValidationResult result) {
        Map<String, Integer> counts = new TreeMap<>();
        for (TestAssertion assertion : result.getTestAssertions()) {
            if (assertion.getStatus() == TestAssertion.Status.FAILED) {
                RuleId rule = assertion.getRuleId();
                counts.merge(rule.getClause() + "-" + rule.getTestNumber(), 1, Integer::sum);
            }
        }
        return counts;
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
